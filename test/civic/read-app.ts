import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { Hono } from 'hono';
import { CIVIC_LIMITS } from '../../src/civic/config.ts';
import { type Corpus, CorpusBuilder } from '../../src/civic/corpus/corpus-builder.ts';
import type { BuildState } from '../../src/civic/corpus/ports.ts';
import { isCorpusPath, toSourceFile } from '../../src/civic/corpus/source-file.ts';
import { allHealthy, type ReadDeps } from '../../src/civic/reads/ports.ts';
import { civicReadRoom } from '../../src/civic/reads/room.ts';
import { civicFaces } from '../../src/cli/rooms/civic-faces.ts';
import { createHttpApp } from '../../src/http/app.ts';
import { createStatelessEndpoint, type StatelessEndpoint } from '../../src/mcp/stateless-endpoint.ts';
import { root } from '../support/repository.ts';

export const BASE = 'http://127.0.0.1:7717';

export interface ReadApp {
  readonly app: Hono;
  readonly mcp: StatelessEndpoint;
  readonly deps: ReadDeps;
  readonly logged: string[];
  readonly counted: string[];
  /** Replaces the files that are served. */
  load(files: Readonly<Record<string, string>>): void;
  get(path: string, headers?: Record<string, string>): Promise<Response>;
  post(path: string, body: unknown): Promise<Response>;
  /** The result of a tool call in the older revision, without any handshake. */
  tool(name: string, args?: unknown): Promise<ToolResult>;
}

export interface ToolResult {
  readonly content: readonly { readonly type: string; readonly text: string }[];
  readonly structuredContent?: Record<string, unknown>;
  readonly isError?: boolean;
  readonly _meta?: Record<string, unknown>;
}

/** The read side over files in memory, with both of its faces. */
export function createReadApp(files: Readonly<Record<string, string>>, changes: Partial<ReadDeps> = {}): ReadApp {
  const logged: string[] = [];
  const counted: string[] = [];
  const log = (message: string, fields: object = {}) => void logged.push(`${message} ${JSON.stringify(fields)}`);
  const served: { corpus: Corpus | undefined; state: BuildState } = {
    corpus: undefined,
    state: { ok: false, errors: [] },
  };
  const load = (next: Readonly<Record<string, string>>) => {
    const sources = Object.entries(next).map(([path, text]) => toSourceFile(path, new TextEncoder().encode(text)));
    const build = new CorpusBuilder().build(sources, { generatedAt: () => '2026-10-01T00:00:00.000Z' });
    served.corpus = build.corpus ?? served.corpus;
    served.state = { ok: build.errors.length === 0, errors: build.errors };
  };
  load(files);
  const deps: ReadDeps = {
    corpus: { current: () => served.corpus, state: () => served.state },
    providers: { directory: () => undefined, isRemoved: () => false },
    health: allHealthy,
    schemas: { concern: { $schema: 'https://json-schema.org/draft/2020-12/schema', type: 'object' } },
    scrubRules: [
      {
        name: 'email',
        pattern: '@',
        flags: 'u',
        checksum: null,
        applies_to_fields: ['*'],
        category: 'direct_identifier',
      },
    ],
    clock: { now: () => Date.parse('2026-10-05T12:00:00Z') },
    log: { debug: log, info: log, warn: log, error: log },
    baseUrl: () => BASE,
    admitRead: () => {},
    countDeprecated: (tool) => void counted.push(tool),
    ...changes,
  };
  const newRequestId = () => 'request';
  const { bound, extend } = civicFaces(civicReadRoom, deps, { version: '0', newRequestId });
  const common = { rooms: [bound], version: '0', log: deps.log, newRequestId };
  const app = createHttpApp(common);
  extend(app, () => '127.0.0.1');
  const mcp = createStatelessEndpoint({ ...common, name: 'civic', bodyBytesMax: CIVIC_LIMITS.body_bytes_max });
  return {
    app,
    mcp,
    deps,
    logged,
    counted,
    load,
    get: async (path, headers = {}) => app.request(path, { headers }),
    post: async (path, body) =>
      app.request(path, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      }),
    tool: async (name, args = {}) => {
      const response = await mcp(rpc({ method: 'tools/call', params: { name, arguments: args } }), '127.0.0.1');
      return ((await response.json()) as { result: ToolResult }).result;
    },
  };
}

/** A POST of one JSON-RPC request to the MCP endpoint. */
export function rpc(message: object, headers: Record<string, string> = {}): Request {
  return new Request(`${BASE}/civic/mcp`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, ...message }),
  });
}

/** The files of the sample corpus. */
export function sampleFiles(): Record<string, string> {
  const folder = join(root, 'samples/corpus');
  const walk = (dir: string): string[] =>
    readdirSync(dir).flatMap((name) => {
      const file = join(dir, name);
      return statSync(file).isDirectory() ? walk(file) : [file];
    });
  const entries = walk(folder).map((file) => [relative(folder, file).replaceAll('\\', '/'), file] as const);
  return Object.fromEntries(
    entries.filter(([path]) => isCorpusPath(path)).map(([path, file]) => [path, readFileSync(file, 'utf8')]),
  );
}

export function skillFile(id: string, status: string, extra = '', body = 'Text.\n'): Record<string, string> {
  return {
    [`skills/${id}/canonical.md`]: `---\nid: ${id}\ntitle: Title of ${id}\nsummary: Summary of ${id}.\nstatus: ${status}\nversion: 1.0.0\ncategory: sample\n${extra}---\n${body}`,
  };
}

export function pathFile(id: string, status: string, extra = ''): Record<string, string> {
  return {
    [`paths/${id}.yaml`]: `id: ${id}\ntitle: Path ${id}\npurpose: tool\nstatus: ${status}\nversion: 1.0.0\n${extra}`,
  };
}
