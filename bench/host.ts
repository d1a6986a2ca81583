import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client, StreamableHTTPClientTransport, type Transport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { CONNECTION_LIMITS } from '../src/host/connection/limits.ts';
import type { ServerSpec } from '../src/host/connection/supervision/server-set.ts';
import { Host } from '../src/host/host.ts';
import { TokenStore } from '../src/host/oauth/token-store.ts';
import type { Upstream } from '../src/wire/upstream.ts';

/** Start-up, memory and call rates of the host, beside the plain SDK client in the same run. Prints Markdown. */
const small = process.argv.includes('--small');
const STDIO_SERVERS = small ? 10 : 100;
const HTTP_SERVERS = 100;
const CALLS = small ? 1_000 : 5_000;
const ROUNDS = small ? 1 : 3;
const CONCURRENCY = [1, 32];
const SERVER = fileURLToPath(new URL('../test/fixtures/servers/bench-server.ts', import.meta.url));
const children: ChildProcess[] = [];

const stdioSpec = (id: string): ServerSpec => ({
  id,
  transport: 'stdio',
  command: process.execPath,
  args: [SERVER, 'stdio'],
  cwd: process.cwd(),
});
const httpSpec = (id: string, port: number): ServerSpec => ({
  id,
  transport: 'http',
  url: `http://127.0.0.1:${port}/mcp`,
  oauth: false,
});
const call = { method: 'tools/call', params: { name: 'tool-1', arguments: { a: 'b' } } };

const ports = await httpServers(HTTP_SERVERS, '2025');
const [modernPort = 0] = await httpServers(1, '2026');

const rows: string[][] = [];
const http = await measureSet(
  'ours, HTTP',
  ports.map((port, i) => httpSpec(`http-${i}`, port)),
);
await http.close();
await measureSdkSet(
  'SDK client, HTTP',
  ports.map((port) => () => new StreamableHTTPClientTransport(new URL(`http://127.0.0.1:${port}/mcp`))),
);
const stdio = await measureSet(
  'ours, stdio',
  Array.from({ length: STDIO_SERVERS }, (_, i) => stdioSpec(`stdio-${i}`)),
);
await stdio.close();
await measureSdkSet(
  'SDK client, stdio',
  Array.from(
    { length: STDIO_SERVERS },
    () => () => new StdioClientTransport({ command: process.execPath, args: [SERVER, 'stdio'] }),
  ),
);
table(
  [
    'start and idle',
    'servers',
    'until all are ready',
    'CPU ms per server (this process)',
    'memory per idle server (this process)',
  ],
  rows,
);

const rates: string[][] = [];
for (const concurrency of CONCURRENCY) {
  const host = await emptyHost();
  host.apply([stdioSpec('stdio'), httpSpec('http', ports[0] ?? 0), httpSpec('modern', modernPort)]);
  await host.settled();
  const sdkHttp = new Client({ name: 'bench', version: '1' });
  await sdkHttp.connect(new StreamableHTTPClientTransport(new URL(`http://127.0.0.1:${ports[0]}/mcp`)));
  const sdkStdio = new Client({ name: 'bench', version: '1' });
  await sdkStdio.connect(new StdioClientTransport({ command: process.execPath, args: [SERVER, 'stdio'] }));
  const ways: [string, () => Promise<unknown>][] = [
    ['SDK client, HTTP', () => sdkHttp.callTool(call.params)],
    ['ours, HTTP', await requester(host, 'http')],
    ['ours, HTTP, raw bytes', await rawRequester(host, 'http')],
    ['ours, HTTP 2026', await requester(host, 'modern')],
    ['SDK client, stdio', () => sdkStdio.callTool(call.params)],
    ['ours, stdio', await requester(host, 'stdio')],
    ['ours, stdio, raw bytes', await rawRequester(host, 'stdio')],
  ];
  for (const [name, once] of ways) await run(once, concurrency, CALLS / 10).then(() => name);
  const best = new Map<string, { rate: number; cpuUs: number }>();
  // In turns, so that a slow moment of the machine affects all of them.
  for (let round = 0; round < ROUNDS; round++) {
    for (const [name, once] of ways) {
      const measured = await run(once, concurrency, CALLS);
      if (measured.rate > (best.get(name)?.rate ?? 0)) best.set(name, measured);
    }
  }
  for (const [name, { rate, cpuUs }] of best)
    rates.push([name, String(concurrency), String(Math.round(rate)), cpuUs.toFixed(0)]);
  await Promise.all([sdkHttp.close(), sdkStdio.close(), host.close()]);
}
table(['calls', 'at once', 'calls/s', 'CPU µs per call (this process)'], rates);
for (const child of children) child.kill();

async function measureSet(name: string, specs: readonly ServerSpec[]): Promise<Host> {
  const host = await emptyHost();
  await measureStart(name, specs.length, async () => {
    host.apply(specs);
    await host.settled();
  });
  const failed = host.status().filter(({ state }) => state !== 'ready');
  if (failed.length > 0) throw new Error(`${failed.length} servers failed: ${failed[0]?.lastError}`);
  return host;
}

/** The plain client does the same: connect, negotiate a revision, list the tools; with the concurrency of the host. */
async function measureSdkSet(name: string, transports: readonly (() => Transport)[]): Promise<void> {
  const clients = transports.map((open) => ({ open, client: new Client({ name: 'bench', version: '1' }) }));
  await measureStart(name, clients.length, async () => {
    const left = clients.values();
    const connect = async () => {
      for (const { open, client } of left) {
        await client.connect(open());
        await client.listTools();
      }
    };
    await Promise.all(Array.from({ length: CONNECTION_LIMITS.connectsAtOnce }, connect));
  });
  await Promise.all(clients.map(({ client }) => client.close()));
}

async function measureStart(name: string, count: number, start: () => Promise<void>): Promise<void> {
  globalThis.gc?.();
  const before = process.memoryUsage().rss;
  const cpu = process.cpuUsage();
  const began = performance.now();
  await start();
  const seconds = (performance.now() - began) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  globalThis.gc?.();
  const kib = (process.memoryUsage().rss - before) / 1024 / count;
  const cpuMs = (user + system) / 1000 / count;
  rows.push([name, String(count), `${seconds.toFixed(2)} s`, cpuMs.toFixed(1), `${kib.toFixed(0)} KiB`]);
}

async function emptyHost(): Promise<Host> {
  const quiet = () => {};
  const folder = await mkdtemp(join(tmpdir(), 'bindery-bench-'));
  return new Host({
    client: { info: { name: 'bench', version: '1' }, callbacks: {} },
    environment: process.env,
    redact: (text) => text,
    log: { debug: quiet, info: quiet, warn: quiet, error: quiet },
    tokens: new TokenStore(join(folder, 'mcp-auth.json')),
  });
}

async function requester(host: Host, id: string): Promise<() => Promise<unknown>> {
  const upstream: Upstream = await host.connection(id);
  return () => upstream.request(call);
}

/** As the gateway does it: the request bytes are ready except for the id. */
async function rawRequester(host: Host, id: string): Promise<() => Promise<unknown>> {
  const upstream: Upstream = await host.connection(id);
  const rest = `,"method":"tools/call","params":${JSON.stringify(call.params)}}`;
  return () => {
    const own = upstream.nextId();
    return upstream.requestRaw({
      bytes: Buffer.from(`{"jsonrpc":"2.0","id":${own}${rest}`),
      id: own,
      method: 'tools/call',
      name: 'tool-1',
    });
  };
}

async function run(
  once: () => Promise<unknown>,
  concurrency: number,
  calls: number,
): Promise<{ rate: number; cpuUs: number }> {
  let left = calls;
  const cpu = process.cpuUsage();
  const began = performance.now();
  await Promise.all(
    Array.from({ length: concurrency }, async () => {
      while (left-- > 0) await once();
    }),
  );
  const seconds = (performance.now() - began) / 1000;
  const used = process.cpuUsage(cpu);
  return { rate: calls / seconds, cpuUs: (used.user + used.system) / calls };
}

function httpServers(count: number, era: string): Promise<number[]> {
  const child = spawn(process.execPath, [SERVER, 'http', String(count), era], { stdio: ['ignore', 'pipe', 'inherit'] });
  children.push(child);
  return new Promise((resolve) => child.stdout.once('data', (chunk) => resolve(JSON.parse(String(chunk)))));
}

function table(head: readonly string[], body: readonly (readonly string[])[]): void {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  console.log([line(head), line(head.map(() => '---')), ...body.map(line), ''].join('\n'));
}
