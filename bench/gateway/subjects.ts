import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Load, Subject } from './load.ts';
import { family, freePort, start, startSilently } from './processes.ts';

const here = import.meta.dirname;
export const UPSTREAM = join(here, 'upstream.ts');
export const MANY = 100;
/** The program that runs as Bindery. */
interface Program {
  readonly file: string;
  readonly env?: Readonly<Record<string, string>>;
}
const BIN: Program = { file: join(here, '..', '..', 'bin', 'bindery.js') };
const manyName = (index: number) => `u${String(index % MANY).padStart(2, '0')}`;

/** The server of a gateway that a load calls. */
function serverOf({ upstream }: Load, index: number): string {
  return upstream === 'many' ? manyName(index) : upstream;
}

/** The same upstreams for every gateway: plain JSON, an event stream, stdio, and a hundred. */
function upstreams(url: string): Record<string, string> {
  const many = Array.from({ length: MANY }, (_, index) => [manyName(index), `${url}?${manyName(index)}`]);
  return {
    json: url,
    sse: `${url}?sse`,
    stdio: `${process.execPath} ${UPSTREAM} --stdio`,
    ...Object.fromEntries(many),
  };
}

export function direct(url: string): Subject {
  return {
    name: 'direct',
    pids: () => [],
    route: (load) =>
      load.upstream === 'stdio'
        ? undefined
        : { url: load.upstream === 'sse' ? `${url}?sse` : url, tool: load.tool, headers: {} },
  };
}

/** Bindery with an active policy, one session, and its audit log on disk. */
export async function bindery(
  upstreamUrl: string,
  folder: string,
  workers: number,
  program: Program = BIN,
): Promise<Subject> {
  const home = join(folder, `home-${workers}`);
  writeHome(home, upstreams(upstreamUrl), ['echo', 'large']);
  const { url: base, pid } = await startBindery(home, folder, ['--workers', String(workers)], program);
  const url = `${base}/mcp`;
  const headers = { 'mcp-session-id': (await initialize(url)) as string };
  await untilListed(url, headers, (MANY + 3) * 2);
  return {
    name: workers === 1 ? 'Bindery' : `Bindery, ${workers} workers`,
    pids: () => family(pid, (command) => command.includes('bindery.js')),
    route: (load, index) => ({ url, tool: `${serverOf(load, index)}__${load.tool}`, headers }),
  };
}

export function startBindery(home: string, cwd: string, more: readonly string[] = [], program: Program = BIN) {
  const env = { HOME: home, BINDERY_DATA_DIR: join(home, 'data'), ...program.env };
  return start(process.execPath, [program.file, 'up', '--port', '0', '--json', '--cwd', cwd, ...more], env);
}

/** Configuration and policy of a Bindery: these servers, these tools. */
export function writeHome(home: string, servers: Readonly<Record<string, string>>, tools?: readonly string[]): void {
  mkdirSync(join(home, '.bindery'), { recursive: true });
  const entries = Object.entries(servers).map(([name, target]) => {
    const [command, ...args] = target.split(' ');
    return [
      name,
      target.startsWith('http') ? { transport: 'http', url: target } : { transport: 'stdio', command, args },
    ];
  });
  const config = { version: 1, mcp: { servers: Object.fromEntries(entries) }, gateway: { exposure: 'all' } };
  writeFileSync(join(home, '.bindery', 'config.json'), JSON.stringify(config));
  const allowed = tools && Object.fromEntries(Object.keys(servers).map((name) => [name, tools]));
  const allowlist = { servers: Object.keys(servers), ...(allowed ? { tools: allowed } : {}) };
  writeFileSync(join(home, '.bindery', 'project_mcp.json'), JSON.stringify({ version: '1.0', allowlist }));
}

export function sdkGateway(upstreamUrl: string): Promise<Subject> {
  return router('written with the SDK', 'sdk-gateway.ts', upstreams(upstreamUrl));
}

/** The cost of `node:http` and undici without any features. */
export function bareRouter(upstreamUrl: string): Promise<Subject> {
  const { stdio: _, ...overHttp } = upstreams(upstreamUrl);
  return router('bare router', 'bare-router.ts', overHttp);
}

/** A program in this folder that gets its servers as arguments, and has no sessions. */
async function router(name: string, file: string, servers: Readonly<Record<string, string>>): Promise<Subject> {
  const pairs = Object.entries(servers).map(([server, target]) => `${server}=${target}`);
  const { url, pid } = await start(process.execPath, [join(here, file), ...pairs]);
  return {
    name,
    pids: () => [pid],
    route: (load, index) => {
      const server = serverOf(load, index);
      return server in servers ? { url, tool: `${server}__${load.tool}`, headers: {} } : undefined;
    },
  };
}

export async function nginx(upstreamUrl: string, folder: string): Promise<Subject[]> {
  try {
    execFileSync('nginx', ['-v'], { stdio: 'ignore' });
  } catch {
    console.log('nginx is not installed, so it is not measured (apt-get install nginx-light).\n');
    return [];
  }
  const port = await freePort();
  const { host } = new URL(upstreamUrl);
  const file = join(folder, 'nginx.conf');
  writeFileSync(
    file,
    `daemon off; worker_processes 1; pid ${folder}/nginx.pid; error_log stderr;
events { worker_connections 1024; }
http { access_log off; client_body_temp_path ${folder}/b; proxy_temp_path ${folder}/p; fastcgi_temp_path ${folder}/f; uwsgi_temp_path ${folder}/u; scgi_temp_path ${folder}/s;
  upstream up { server ${host}; keepalive 64; }
  server { listen 127.0.0.1:${port}; location / { proxy_pass http://up; proxy_http_version 1.1; proxy_set_header Connection ""; proxy_buffers 16 64k; proxy_buffer_size 64k; } } }`,
  );
  const pid = await startSilently('nginx', ['-c', file], port);
  const url = `http://127.0.0.1:${port}/mcp`;
  return [
    {
      name: 'nginx',
      pids: () => family(pid),
      route: (load) =>
        load.upstream === 'json' || load.upstream === 'sse'
          ? { url: load.upstream === 'sse' ? `${url}?sse` : url, tool: load.tool, headers: {} }
          : undefined,
    },
  ];
}

/** Begins a session; undefined if the server has no sessions. */
export async function initialize(url: string): Promise<string | undefined> {
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'bench', version: '1' } };
  const response = await post(url, { jsonrpc: '2.0', id: 0, method: 'initialize', params });
  await response.text();
  return response.headers.get('mcp-session-id') ?? undefined;
}

/** Waits until this many tools are listed; returns the text of the list. */
export async function untilListed(url: string, headers: Record<string, string>, tools: number): Promise<string> {
  for (let attempt = 0; attempt < 3_000; attempt += 1) {
    // A gateway that connects to a thousand servers may be silent for longer than the idle timeout of a connection.
    const text = await post(url, { jsonrpc: '2.0', id: 1, method: 'tools/list' }, headers).then(
      (response) => response.text(),
      () => '',
    );
    if (text.split('"inputSchema"').length > tools) return text;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error('the gateway never listed the tools');
}

export function post(url: string, body: object, headers: Record<string, string> = {}): Promise<Response> {
  const accept = 'application/json, text/event-stream';
  return fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept, ...headers },
    body: JSON.stringify(body),
  });
}
