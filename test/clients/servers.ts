import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { startConformanceFixture } from '../conformance/server-suite.ts';
import { freePort } from '../support/free-port.ts';
import { until } from '../support/running-bindery.ts';

/** How long a server may take to start beside all the others. */
const START_MS = 120_000;

/** Where a client finds a server. */
export interface Target {
  readonly kind: 'stdio' | 'http' | 'sse';
  readonly url?: string;
  readonly command?: string;
  readonly args?: readonly string[];
  readonly env: Record<string, string>;
  /** The folders that the client opens to it. */
  readonly roots?: readonly string[];
}

export interface RealServer {
  readonly id: string;
  readonly about: string;
  readonly target: Target;
  /** Its entry in the gateway's config. */
  readonly entry: object;
  readonly probes: object;
  stop(): void;
}

/** A folder that only clients name. */
export const ROOT = 'opened';

const fixtureProbes = {
  call: { name: 'test_simple_text', arguments: {}, text: 'text' },
  error: { name: 'test_error_handling', arguments: {}, text: 'error' },
  progress: { name: 'test_tool_with_progress', arguments: {} },
  resource: {},
  prompt: { name: 'test_prompt_with_arguments', arguments: { arg1: 'a', arg2: 'b' } },
  completion: {
    ref: { type: 'ref/prompt', name: 'test_prompt_with_arguments' },
    argument: { name: 'arg1', value: 'par' },
  },
  elicitation: { name: 'test_elicitation', arguments: { message: 'Who?' }, text: 'accept' },
  sampling: { name: 'test_sampling', arguments: { prompt: 'Say it.' } },
  logs: { name: 'test_tool_with_logging', arguments: {} },
};

const everythingProbes = {
  call: { name: 'echo', arguments: { message: 'hello there' }, text: 'hello there' },
  progress: { name: 'trigger-long-running-operation', arguments: { duration: 1, steps: 4 } },
  resource: {},
  prompt: { name: 'args-prompt', arguments: { city: 'Ghent' } },
  completion: {
    ref: { type: 'ref/prompt', name: 'completable-prompt' },
    argument: { name: 'department', value: 'E' },
  },
  elicitation: { name: 'trigger-elicitation-request', arguments: {}, text: 'provided the requested information' },
  sampling: { name: 'trigger-sampling-request', arguments: { prompt: 'Say it.', maxTokens: 50 } },
  roots: { name: 'get-roots-list', text: ROOT },
};

/** What a server keeps for each of its clients, and tells it by itself. */
const ownStateProbes = {
  call: { name: 'count', arguments: {}, text: 'call' },
  error: { name: 'fail', arguments: {}, text: 'no luck' },
  progress: { name: 'wait', arguments: { ms: 50 } },
  resource: {},
  elicitation: { name: 'ask', arguments: {}, text: 'hello' },
  sampling: { name: 'model', arguments: {} },
  logs: { name: 'log', arguments: {} },
  page: { name: 'page', arguments: {}, text: 'page: accept' },
  state: { name: 'count' },
  cancellation: { wait: { name: 'wait', arguments: { ms: 60_000 } }, check: 'cancelled' },
  change: { name: 'add_tool' },
  touch: { name: 'touch', uri: 'note://1' },
  isolation: { name: 'ask' },
};

/** Every server of the table, running where it needs to run. */
export async function startServers(dir: string, env: Record<string, string>): Promise<readonly RealServer[]> {
  return Promise.all([
    fixture('sessions-2025', '2025-11-25', 'this project’s server of 2025-11-25, with sessions', env),
    fixture('modern-2026', '2026-07-28', 'this project’s server of 2026-07-28 only', env),
    everythingOverHttp('streamableHttp', 'http', env),
    everythingOverHttp('sse', 'sse', env),
    stdioServer(
      'everything-stdio',
      'server-everything over stdio',
      ['server-everything', 'stdio'],
      env,
      everythingProbes,
    ),
    stdioServer('filesystem', 'server-filesystem over stdio', ['server-filesystem', dir], env, {
      call: { name: 'list_directory', arguments: { path: dir }, text: 'note.txt' },
      error: { name: 'read_text_file', arguments: { path: `${dir}/absent.txt` }, text: 'absent.txt' },
      roots: { name: 'list_allowed_directories', text: ROOT },
    }),
    stdioServer('memory', 'server-memory over stdio', ['server-memory'], env, {
      call: { name: 'read_graph', arguments: {}, text: 'entities' },
    }),
    ownStateOverHttp(env),
    ...(['legacy', 'modern'] as const).map(async (kind) => {
      const revision = kind === 'legacy' ? '2025-11-25' : '2026-07-28';
      const about = `this project’s server of ${revision} over stdio, with state of its own`;
      // The process of a call that a client without a session cancels is closed, so its notes stand in a file.
      const cancellations = join(dir, `cancellations-${kind}`);
      await writeFile(cancellations, '');
      const program = { command: process.execPath, args: [OWN_STATE, kind, cancellations] };
      return stdioEntry({ id: `own-stdio-${revision.slice(0, 4)}`, about, probes: ownStateProbes }, program, env);
    }),
  ]);
}

async function fixture(id: string, revision: string, about: string, env: Record<string, string>): Promise<RealServer> {
  const { url, process: child } = await startConformanceFixture(revision);
  return {
    id,
    about,
    target: { kind: 'http', url, env },
    entry: { transport: 'http', url },
    probes: fixtureProbes,
    stop: () => child.kill(),
  };
}

const OWN_STATE = fileURLToPath(new URL('../fixtures/servers/own-state.ts', import.meta.url));

async function ownStateOverHttp(env: Record<string, string>): Promise<RealServer> {
  const child = spawn(process.execPath, [OWN_STATE, 'http'], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  return {
    id: 'own-http-2025',
    about: 'this project’s server of 2025-11-25 with sessions, with state of its own',
    target: { kind: 'http', url: line, env },
    entry: { transport: 'http', url: line },
    probes: ownStateProbes,
    stop: () => child.kill(),
  };
}

async function everythingOverHttp(
  transport: string,
  kind: 'http' | 'sse',
  env: Record<string, string>,
): Promise<RealServer> {
  const port = await freePort();
  const child = spawn(process.execPath, [programOf('server-everything'), transport], {
    env: { ...env, PORT: String(port) },
    stdio: 'ignore',
  });
  const url = `http://127.0.0.1:${port}/${kind === 'sse' ? 'sse' : 'mcp'}`;
  await until(`${url} answers`, () => answers(url, child), START_MS);
  return {
    id: `everything-${kind}`,
    about: kind === 'sse' ? 'server-everything over HTTP+SSE of 2024' : 'server-everything over Streamable HTTP',
    target: { kind, url, env },
    entry: { transport: 'http', url },
    probes: everythingProbes,
    stop: () => child.kill(),
  };
}

async function stdioServer(
  id: string,
  about: string,
  [server = '', ...args]: readonly string[],
  env: Record<string, string>,
  probes: object,
): Promise<RealServer> {
  const program = { command: process.execPath, args: [programOf(server), ...args] };
  return stdioEntry({ id, about, probes }, program, env);
}

function stdioEntry(
  server: Pick<RealServer, 'id' | 'about' | 'probes'>,
  program: { readonly command: string; readonly args: readonly string[] },
  env: Record<string, string>,
): RealServer {
  return {
    ...server,
    target: { kind: 'stdio', ...program, env },
    entry: { transport: 'stdio', ...program },
    stop: () => {},
  };
}

function programOf(server: string): string {
  return fileURLToPath(import.meta.resolve(`@modelcontextprotocol/${server}/dist/index.js`));
}

async function answers(url: string, child: ChildProcess): Promise<boolean> {
  if (child.exitCode !== null) throw new Error(`the server at ${url} ended with ${child.exitCode}`);
  const stop = new AbortController();
  try {
    await fetch(url, { signal: stop.signal });
    return true;
  } catch {
    return false;
  } finally {
    stop.abort();
  }
}
