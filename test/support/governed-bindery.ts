import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../repository.ts';

export interface RunningBindery {
  readonly url: string;
  readonly child: ChildProcess;
  /** Everything it wrote to stdout and stderr so far. */
  output(): string;
  admin(): string;
  /** A request to the admin API, with the admin credential unless another is given. */
  api(method: string, path: string, body?: unknown, authorization?: string): Promise<{ status: number; body: never }>;
  kill(signal?: NodeJS.Signals): Promise<void>;
}

const START = 'const [file, ...argv] = process.argv.slice(1); const { main } = await import(file); await main(argv);';

/** Arguments for Node that run a command line of this working tree. */
export function commandLine(...argv: string[]): string[] {
  return ['--input-type=module', '-e', START, join(root, 'src/cli/main.ts'), ...argv];
}

/** Starts `bindery up` as a process of its own and resolves when it accepts connections. */
export async function startBindery(
  home: string,
  flags: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): Promise<RunningBindery> {
  const child = spawn(process.execPath, commandLine('up', '--port', '0', '--json', '--cwd', home, ...flags), {
    cwd: home,
    env: { PATH: process.env.PATH ?? '', HOME: home, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  const gone = once(child, 'exit');
  const url = await new Promise<string>((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (chunk: string) => {
        output += chunk;
        const ready = /^\{"event":"ready".*\}$/m.exec(output)?.[0];
        if (ready) resolve(JSON.parse(ready).url);
      });
    }
    void gone.then(() => reject(new Error(`bindery ended: ${output}`)));
  });
  const admin = () => readFileSync(join(home, '.bindery', 'admin.token'), 'utf8').trim();
  return {
    url,
    child,
    output: () => output,
    admin,
    api: async (method, path, body, authorization = `Bearer ${admin()}`) => {
      const response = await fetch(`${url}${path}`, {
        method,
        headers: {
          ...(authorization === '' ? {} : { authorization }),
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      return { status: response.status, body: (await response.json().catch(() => null)) as never };
    },
    kill: async (signal = 'SIGTERM') => {
      child.kill(signal);
      await gone;
    },
  };
}

/** A call of a tool as a client of revision 2026-07-28 sends it; rejects where no whole answer comes. */
export async function callTool(
  url: string,
  name: string,
  args: object,
  more: { readonly headers?: Record<string, string>; readonly capabilities?: object; readonly params?: object } = {},
  // biome-ignore lint/suspicious/noExplicitAny: a raw answer, looked at by its members.
): Promise<any> {
  const response = await fetch(`${url}/mcp`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': name,
      ...more.headers,
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: {
        name,
        arguments: args,
        _meta: {
          'io.modelcontextprotocol/protocolVersion': '2026-07-28',
          'io.modelcontextprotocol/clientCapabilities': more.capabilities ?? {},
          'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
        },
        ...more.params,
      },
    }),
  });
  const text = await response.text();
  const data = /^data: (.*)$/gm;
  return JSON.parse(
    response.headers.get('content-type')?.startsWith('text/event-stream')
      ? ([...text.matchAll(data)].at(-1)?.[1] ?? '')
      : text,
  );
}

/** Calls until the gateway has discovered the tool. */
export async function untilListed(url: string, name: string, args: object): Promise<void> {
  for (let attempt = 0; attempt < 200; attempt += 1) {
    const answer = await callTool(url, name, args);
    if (answer.result && answer.result._meta?.['bindery/error']?.code !== 'SERVER_UNAVAILABLE') return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`${name} was not discovered`);
}
