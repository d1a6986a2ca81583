import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { createMcpHandler } from '@modelcontextprotocol/server';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createContextDeps } from '../../src/cli/rooms/context-deps.ts';
import { contextRoom } from '../../src/context/operations.ts';
import { anyDocuments, anyText } from '../../src/context/testing/arbitraries.ts';
import { bindRoom } from '../../src/contract/operation.ts';
import { createMemoryLog } from '../../src/contract/testing/memory-log.ts';
import { createHttpApp } from '../../src/http/app.ts';
import { createMcpServer } from '../../src/mcp/server.ts';
import { cachesUnderRoot } from '../../src/store/context/locate-cache.ts';
import { buildFrom, inFolder } from '../../src/store/context/testing/folders.ts';
import { naiveResolve } from '../naive/context.ts';
import { runContext } from './run.ts';

/** The three faces over the caches below a folder. */
async function openFaces(root: string, timeoutSecs?: number) {
  const rooms = [bindRoom(contextRoom, createContextDeps(cachesUnderRoot(root), timeoutSecs))];
  const common = { rooms, version: '1', log: createMemoryLog(), newRequestId: () => 'r' };
  const app = createHttpApp(common);
  const handler = createMcpHandler(() => createMcpServer({ ...common, name: 'mcp-context-server' }));
  const fetch = (url: string | URL, init?: RequestInit) => handler.fetch(new Request(url, init));
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(new StreamableHTTPClientTransport(new URL('http://localhost/mcp'), { fetch }));
  return {
    client,
    post: async (body: unknown) => {
      const headers = { 'content-type': 'application/json' };
      const response = await app.request('/v1/context/resolve', {
        method: 'POST',
        headers,
        body: JSON.stringify(body),
      });
      return { status: response.status, text: await response.text() };
    },
    get: async (path: string) => {
      const response = await app.request(path);
      return { status: response.status, text: await response.text() };
    },
    tool: async (name: string, args: Record<string, unknown>) => {
      const { content, isError, structuredContent } = await client.callTool({ name, arguments: args });
      return { content, isError: isError ?? false, structuredContent };
    },
  };
}

const asText = (text: string, isError = false) => ({
  content: [{ type: 'text', text }],
  isError,
  structuredContent: undefined,
});

test('[context:O1] command, MCP and HTTP give the same bytes for any cache and query', async () => {
  await fc.assert(
    fc.asyncProperty(anyDocuments, anyText, fc.nat(40), (documents, query, budget) =>
      inFolder(async (folder) => {
        const cache = await buildFrom(
          folder,
          Object.fromEntries(documents.map(({ name, content }) => [name, content])),
        );
        const faces = await openFaces(folder);
        const expected = naiveResolve(
          documents.map(({ name, content }) => ({ id: name.toLowerCase(), content })),
          query,
          budget,
        );
        const args = { cache: 'cache', query, budget };
        expect(await faces.post(args)).toEqual({ status: 200, text: expected });
        expect(await faces.tool('context.resolve', args)).toEqual(asText(expected));
        // A command line cannot carry a null character, and a query may begin like a flag.
        const ran = await runContext('resolve', '--cache', cache, `--query=${query}`, '--budget', String(budget));
        expect(ran.stdout).toBe(expected);
        await faces.client.close();
      }),
    ),
    { numRuns: 25 },
  );
});

test('[context:M4] exactly three tools are listed, each with its arguments', () =>
  inFolder(async (folder) => {
    const { client } = await openFaces(folder);
    const { tools } = await client.listTools();
    const shapes = tools.map(({ name, inputSchema }) => [
      name,
      Object.keys(inputSchema.properties ?? {}),
      inputSchema.required,
    ]);
    expect(shapes.sort()).toEqual([
      ['context.inspect_cache', ['cache'], ['cache']],
      ['context.list_caches', [], []],
      ['context.resolve', ['cache', 'query', 'budget'], ['cache', 'query', 'budget']],
    ]);
  }));

const SOURCES = { 'a.md': 'alpha' };
const failure = (code: string, message: string) =>
  asText(`{"error":{"code":"${code}","message":"${message}"}}\n`, true);
const CACHE_MISSING = failure('cache_missing', 'Cache does not exist');
const INVALID_QUERY = failure('invalid_query', 'Query is invalid');
const INVALID_BUDGET = failure('invalid_budget', 'Budget is invalid');
const CACHE_INVALID = failure('cache_invalid', 'Cache exists but is invalid');
const good = { cache: 'cache', query: 'x', budget: 1 };

const badCalls: [string, Record<string, unknown>, object, number][] = [
  ['an unknown cache', { ...good, cache: 'none' }, CACHE_MISSING, 404],
  ['a name that leaves the root', { ...good, cache: '../cache' }, CACHE_MISSING, 404],
  ['a cache that is a number', { ...good, cache: 5 }, CACHE_MISSING, 404],
  ['an empty name of a cache', { ...good, cache: '' }, CACHE_MISSING, 404],
  ['a cache with half a character', { ...good, cache: 'cache\ud800' }, CACHE_MISSING, 404],
  ['no cache', { query: 'x', budget: 1 }, CACHE_MISSING, 404],
  ['no query', { cache: 'cache', budget: 1 }, INVALID_QUERY, 400],
  ['a query that is null', { ...good, query: null }, INVALID_QUERY, 400],
  ['a query with half a character', { ...good, query: '\ud800' }, INVALID_QUERY, 400],
  ['a member too many', { ...good, extra: 1 }, INVALID_QUERY, 400],
  ['no budget', { cache: 'cache', query: 'x' }, INVALID_BUDGET, 400],
  ['a negative budget', { ...good, budget: -1 }, INVALID_BUDGET, 400],
  ['a budget with a fraction', { ...good, budget: 1.5 }, INVALID_BUDGET, 400],
  ['a budget that is a text', { ...good, budget: '1' }, INVALID_BUDGET, 400],
  ['a budget of 2^53', { ...good, budget: 2 ** 53 }, INVALID_BUDGET, 400],
];

test.each(badCalls)(
  '[context:M5] [context:Z6] [context:M11] %s is one frozen error on MCP and its problem on HTTP',
  (_, args, expected, status) =>
    inFolder(async (folder) => {
      await buildFrom(folder, SOURCES);
      const faces = await openFaces(folder);
      expect(await faces.tool('context.resolve', args)).toEqual(expected);
      const answer = await faces.post(args);
      expect([answer.status, answer.text.includes(folder)]).toEqual([status, false]);
    }),
);

test('[context:Z1] [context:M5] [context:M11] a corrupt cache is cache_invalid on every face', () =>
  inFolder(async (folder) => {
    const cache = await buildFrom(folder, SOURCES);
    writeFileSync(join(cache, 'manifest.json'), '{');
    const faces = await openFaces(folder);
    expect(await faces.tool('context.resolve', good)).toEqual(CACHE_INVALID);
    const { status, text } = await faces.post(good);
    expect([status, JSON.parse(text)]).toEqual([
      422,
      {
        type: '/reference#cache_invalid',
        title: 'Cache exists but is invalid',
        status: 422,
        code: 'cache_invalid',
        detail: 'the manifest is not valid',
        request_id: 'r',
      },
    ]);
  }));

test('[context:M7] [context:M8] lists and inspections are compact, without a newline, and the same on MCP and HTTP', () =>
  inFolder(async (folder) => {
    const cache = await buildFrom(folder, SOURCES);
    const faces = await openFaces(folder);
    const listed = '{"caches":[{"path":"cache","has_manifest":true},{"path":"sources","has_manifest":false}]}';
    expect(await faces.tool('context.list_caches', {})).toEqual(asText(listed));
    expect(await faces.get('/v1/context/caches')).toEqual({ status: 200, text: listed });
    const inspected = (await faces.get('/v1/context/caches/cache')).text;
    expect(JSON.parse(inspected)).toMatchObject({ document_count: 1, valid: true });
    expect(await faces.tool('context.inspect_cache', { cache: 'cache' })).toEqual(asText(inspected));
    writeFileSync(join(cache, 'manifest.json'), '{');
    const broken = '{"cache_version":"","document_count":0,"total_bytes":0,"valid":false}';
    expect(await faces.tool('context.inspect_cache', { cache: 'cache' })).toEqual(asText(broken));
    expect((await faces.get('/v1/context/caches/none')).status).toBe(404);
  }));

test('[context:M10] a call that takes too long is internal_error', () =>
  inFolder(async (folder) => {
    await buildFrom(folder, SOURCES);
    const { caches, builder } = createContextDeps(cachesUnderRoot(folder), undefined);
    const rooms = [bindRoom(contextRoom, { caches, builder, deadline: () => AbortSignal.abort(new Error('late')) })];
    const app = createHttpApp({ rooms, version: '1', log: createMemoryLog(), newRequestId: () => 'r' });
    const headers = { 'content-type': 'application/json' };
    const response = await app.request('/v1/context/resolve', {
      method: 'POST',
      headers,
      body: JSON.stringify({ ...good, budget: 9 }),
    });
    expect([response.status, await response.json()]).toMatchObject([
      500,
      { code: 'internal_error', detail: 'the call took too long' },
    ]);
  }));

test('every output satisfies its own schema', () =>
  inFolder(async (folder) => {
    await buildFrom(folder, SOURCES);
    const faces = await openFaces(folder);
    const { z } = await import('zod');
    const ajv = new Ajv2020({ strict: false });
    for (const [id, text] of [
      ['context.resolve', (await faces.post({ ...good, budget: 9 })).text],
      ['context.list_caches', (await faces.get('/v1/context/caches')).text],
      ['context.inspect_cache', (await faces.get('/v1/context/caches/cache')).text],
    ] as const) {
      const operation = contextRoom.operations.find((known) => known.id === id);
      if (!operation) throw new Error(id);
      expect(ajv.validate(z.toJSONSchema(operation.output), JSON.parse(text))).toBe(true);
    }
  }));
