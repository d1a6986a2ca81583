import { z } from 'zod';
import { BinderyError } from '../contract/errors.ts';
import { type Call, defineOperation, type Hints, READ_ONLY, type Room } from '../contract/operation.ts';
import { refuseAllButOwner } from '../contract/owner-only.ts';
import { workStream } from '../contract/work-stream.ts';
import { buildFailures, contextFailures } from './failures.ts';
import { CONTEXT_LIMITS } from './limits.ts';
import type { ContextDeps } from './ports.ts';
import { BuildReport, buildNote, CacheList, Inspection, Verification } from './reports.ts';
import { resolveContext } from './resolve-context.ts';
import { SearchResult } from './search/search-result.ts';
import { encodeSelection, encodeSelectionPretty, SelectionResult } from './selection-result.ts';
import { SOURCE_FORMATS } from './source-formats.ts';

const cache = z
  .string()
  .min(1)
  .refine((text) => text.isWellFormed(), 'is not Unicode text')
  .describe('Path or identifier of a built context cache');
const query = z
  .string()
  .refine((text) => text.isWellFormed(), 'is not Unicode text')
  .describe('Natural-language query');
const budget = z.int().min(0).max(CONTEXT_LIMITS.budgetMax).describe('Maximum token budget');
/** The name of a direct subfolder of the folder of caches. */
const CACHE_NAME = /^[A-Za-z0-9][\w.-]{0,63}$/;
const WRITES: Hints = { readOnly: false, destructive: true, idempotent: true, openWorld: false };

const build = defineOperation({
  id: 'context.build',
  summary: 'Build a cache from a folder of Markdown files.',
  input: z.strictObject({
    sources: z.string().describe('folder of Markdown files'),
    cache: z.string().describe('folder of the cache'),
    force: z.boolean().default(false).describe('replace an existing cache when the new one is complete'),
    incremental: z.boolean().default(false).describe('like --force, but keeps document files that did not change'),
    gitignore: z.boolean().default(false).describe('skip what .gitignore files name'),
    also: z
      .array(z.enum(SOURCE_FORMATS, { error: ({ input }) => unknownFormat(input) }))
      .default([])
      .describe('further sources: markdown (.markdown, .MD), mdx, html (as Markdown), llms (llms.txt)'),
    skip_invalid: z.boolean().default(false).describe('skip sources that are not UTF-8, and list them'),
  }),
  output: BuildReport,
  hints: WRITES,
  http: false,
  mcp: false,
  cli: {
    command: 'context build',
    print: () => '',
    note: (report) => `${buildNote(report)}\n`,
  },
  failures: buildFailures,
  run: ({ skip_invalid: skipInvalid, ...request }, { builder }: ContextDeps, call) =>
    builder.build({ ...request, skipInvalid }, call.signal, (done, total) => call.progress(done, total, 'documents')),
});

const buildCache = defineOperation({
  id: 'context.build_cache',
  summary: 'Build a cache of this server from a folder of its machine, and tell how far it is.',
  description:
    'Lines of JSON: {"step": {"done", "total"}} as documents are read, then {"result"} with the version and the number of documents, or {"problem"}. The cache that is there is served until the new one is whole. Only the owner of the gateway may do it.',
  input: z.strictObject({
    cache: z.string().regex(CACHE_NAME).describe('name of the cache, new or not'),
    sources: z.string().min(1).describe('folder of Markdown files on the machine of the server'),
  }),
  output: z.custom<ReadableStream<Uint8Array>>(),
  hints: WRITES,
  http: {
    method: 'POST',
    path: '/v1/context/caches/{cache}/build',
    streams: true,
    contentType: 'application/x-ndjson',
    meta: () => ({ headers: { 'cache-control': 'no-store', 'x-accel-buffering': 'no' } }),
  },
  mcp: false,
  cli: false,
  failures: contextFailures,
  run: ({ cache, sources }, { builder, folderOf }: ContextDeps, call) => {
    refuseAllButOwner(call);
    const folder = folderOf?.(cache);
    if (folder === undefined) throw new BinderyError('cache_missing');
    const request = { sources, cache: folder, force: false, incremental: true, gitignore: false };
    return workStream(
      (tell: (step: { done: number; total: number }) => void, signal) =>
        builder.build(request, signal, (done, total) => tell({ done, total })),
      call,
      contextFailures,
    );
  },
});

const resolve = defineOperation({
  id: 'context.resolve',
  summary: 'Resolve a query against a cache: the best documents within a token budget, with their reasons.',
  description:
    'Resolve a natural-language query against a pre-built context cache and return a deterministic, explainable set of documents within a token budget.',
  input: z.strictObject({ cache, query, budget }),
  output: SelectionResult,
  hints: READ_ONLY,
  http: { method: 'POST', path: '/v1/context/resolve' },
  mcp: { tool: 'context.resolve', structured: false },
  cli: { command: 'context resolve', formats: { json: encodeSelection, pretty: encodeSelectionPretty } },
  failures: contextFailures,
  encode: encodeSelection,
  run: (input, deps: ContextDeps, call) =>
    withinDeadline(deps, call, (signal) =>
      deps.caches.read(input.cache, (open) => resolveContext(open, input.query, input.budget, signal)),
    ),
});

const search = defineOperation({
  id: 'context.search',
  summary: 'Search the sections of a cache by BM25F over headings, path and body, within a token budget, with reasons.',
  description:
    'Find the sections of a context cache that answer a question, best first, within a token budget, each with its headings, byte range and reasons. Use this one first: it ranks by how much each word tells, compares words by their stems, and returns parts of documents. Use context.resolve where whole documents are wanted, or the exact bytes of its fixed rule.',
  input: z.strictObject({ cache, query, budget }),
  output: SearchResult,
  hints: READ_ONLY,
  http: { method: 'POST', path: '/v1/context/search' },
  mcp: { tool: 'context.search', structured: false },
  cli: { command: 'context search', document: (result) => `${JSON.stringify(result, null, 2)}\n` },
  failures: contextFailures,
  run: (input, deps: ContextDeps, call) =>
    withinDeadline(deps, call, async (signal) => {
      // Loaded on first use: a resolve from a cold start does not need it.
      const { searchContext } = await import('./search/search-context.ts');
      return deps.caches.read(input.cache, (open) => searchContext(open, input.query, input.budget, signal));
    }),
});

const inspect = defineOperation({
  id: 'context.inspect',
  summary: 'Show the version, the size and the number of documents of a cache.',
  input: z.strictObject({ cache }),
  output: Inspection,
  hints: READ_ONLY,
  http: false,
  mcp: false,
  cli: { command: 'context inspect', document: (inspection) => `${JSON.stringify(inspection, null, 2)}\n` },
  failures: contextFailures,
  run: (input, { caches }: ContextDeps) => caches.inspect(input.cache),
});

const inspectCache = defineOperation({
  id: 'context.inspect_cache',
  summary: 'Show the version, the size and the number of documents of a cache that this server offers.',
  input: z.strictObject({ cache }),
  output: Inspection,
  hints: READ_ONLY,
  http: {
    method: 'GET',
    path: '/v1/context/caches/{name}',
    read: ({ params, query }) => ({ ...Object.fromEntries(query), cache: params.name }),
  },
  mcp: { tool: 'context.inspect_cache', structured: false },
  cli: false,
  failures: contextFailures,
  run: (input, deps: ContextDeps, call) => withinDeadline(deps, call, () => deps.caches.summarize(input.cache)),
});

const listCaches = defineOperation({
  id: 'context.list_caches',
  summary: 'List the caches that this server offers.',
  input: z.object({}),
  output: CacheList,
  hints: READ_ONLY,
  http: { method: 'GET', path: '/v1/context/caches' },
  mcp: { tool: 'context.list_caches', structured: false },
  cli: false,
  failures: contextFailures,
  run: (_input, deps: ContextDeps, call) => withinDeadline(deps, call, () => deps.caches.list()),
});

const verify = defineOperation({
  id: 'context.verify',
  summary: 'Check everything about a cache: manifest, documents, index, postings, unknown files.',
  input: z.strictObject({ cache }),
  output: Verification,
  hints: READ_ONLY,
  http: false,
  mcp: false,
  cli: { command: 'context verify', document: (verification) => `${JSON.stringify(verification, null, 2)}\n` },
  failures: contextFailures,
  run: async (input, { caches }: ContextDeps, call) => {
    const found = await caches.verify(input.cache, call.signal, (done, total) =>
      call.progress(done, total, 'documents'),
    );
    if (!found.valid) throw new BinderyError('cache_invalid', { detail: found.problems.join('; ') });
    return found;
  },
});

/** The room `context`: its MCP face is exactly the three tools that its specification names. */
export const contextRoom: Room<ContextDeps> = {
  name: 'context',
  summary: 'documents within a token budget, the same bytes every time',
  operations: [build, buildCache, resolve, inspect, inspectCache, listCaches, verify, { ...search, mcp: false }],
};

const RESOLVE_BESIDE_SEARCH = `${resolve.description} It returns whole documents, ranked by the share of their words that are exactly words of the query. To find what answers a question, use context.search.`;

/** The same room with search as a fourth tool, before the others: for the gateway, and for `--search`. */
export const contextRoomWithSearch: Room<ContextDeps> = {
  ...contextRoom,
  operations: [
    build,
    buildCache,
    search,
    { ...resolve, description: RESOLVE_BESIDE_SEARCH },
    inspect,
    inspectCache,
    listCaches,
    verify,
  ],
};

function unknownFormat(input: unknown): string {
  return `is ${JSON.stringify(input)}, which is no known format; known are ${SOURCE_FORMATS.join(', ')}`;
}

/** Runs work with the deadline of the call. */
async function withinDeadline<T>(deps: ContextDeps, call: Call, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const deadline = deps.deadline();
  if (!deadline) return work(call.signal);
  try {
    return await work(AbortSignal.any([call.signal, deadline]));
  } catch (thrown) {
    if (!deadline.aborted || call.signal.aborted || thrown instanceof BinderyError) throw thrown;
    throw new BinderyError('internal_error', { detail: 'the call took too long', cause: thrown });
  }
}
