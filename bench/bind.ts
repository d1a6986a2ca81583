import { fork } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { createAdaptorServer } from '@hono/node-server';
import { Hono } from 'hono';
import { Answers } from '../src/bind/answers.ts';
import { type CollapseRequest, collapse } from '../src/bind/collapse.ts';
import { PROTECTED_NAMES } from '../src/bind/limits.ts';
import { Registry } from '../src/bind/registry.ts';
import { bindRoom } from '../src/bind/room.ts';
import { ZoneTable } from '../src/bind/zone-table.ts';
import { bindRoom as bindRoomTo } from '../src/contract/operation.ts';
import { createHttpApp } from '../src/http/app.ts';

const COUNTS = (process.env.BENCH_COUNTS ?? '10,10000,100000').split(',').map(Number);
const DEPTHS = [0, 1, 8];
const SAMPLES = 15;
const CALLS = 20_000;
const HTTP_ROUNDS = Number(process.env.BENCH_ROUNDS ?? 12);
const HTTP_ROUND_MS = 700;
const SOCKETS = 32;

const policy = { protectedNames: new Set(PROTECTED_NAMES), allowPrivateEndpoints: false, registrarKeys: [] };

if (process.argv[2] === 'serve') await serve(Number(process.argv[3]));
else await report();

async function report(): Promise<void> {
  print('## bind: collapse in process\n');
  print('| zones | depth | outcome | median µs | p95 µs |\n|---:|---:|---|---:|---:|');
  for (const count of COUNTS) {
    const { table, chains } = load(count);
    for (const depth of DEPTHS) {
      const chain = chains.get(depth) as string[];
      if (chain.length === 0) continue;
      row(
        count,
        depth,
        'hit',
        time(table, (index) => ({ name: chain[index % chain.length] as string })),
      );
      const caps = ['nobody-offers-this'];
      row(
        count,
        depth,
        'miss: caps',
        time(table, (index) => ({ name: chain[index % chain.length] as string, caps })),
      );
    }
    row(
      count,
      0,
      'miss: no zone',
      time(table, (index) => ({ name: `absent${index % 1000}` })),
    );
  }
  print('\n## bind: memory\n');
  print('| zones | bytes of text per zone | further bytes per zone |\n|---:|---:|---:|');
  for (const count of COUNTS.slice(1)) printMemory(count);
  print('\n## bind: HTTP against a handler that returns a constant\n');
  print(
    '| zones | request | requests/s | constant/s | ratio | ratio by CPU time of the server |\n|---:|---|---:|---:|---:|---:|',
  );
  for (const count of COUNTS) await printHttp(count);
}

function row(count: number, depth: number, outcome: string, { median, p95 }: { median: number; p95: number }): void {
  print(`| ${count} | ${depth} | ${outcome} | ${median.toFixed(2)} | ${p95.toFixed(2)} |`);
}

/** CPU time per call over many different zones, in samples of many calls each; other programs do not affect it. */
function time(table: ZoneTable, request: (index: number) => CollapseRequest): { median: number; p95: number } {
  const requests = Array.from({ length: CALLS }, (_, index) => request(index * 7919));
  const perCall: number[] = [];
  for (let sample = 0; sample < SAMPLES + 3; sample += 1) {
    const before = process.threadCpuUsage();
    for (const one of requests) collapse(table, one, policy);
    const { user, system } = process.threadCpuUsage(before);
    perCall.push((user + system) / CALLS);
  }
  const sorted = perCall.slice(3).sort((a, b) => a - b);
  return { median: at(sorted, 0.5), p95: at(sorted, 0.95) };
}

function printMemory(count: number): void {
  const before = usedBytes();
  const { table, textBytes } = load(count);
  const after = usedBytes();
  const extra = (after - before - textBytes) / count;
  print(`| ${table.names().length} | ${(textBytes / count).toFixed(0)} | ${extra.toFixed(0)} |`);
}

function usedBytes(): number {
  if (!globalThis.gc) throw new Error('run with --expose-gc');
  for (let turn = 0; turn < 4; turn += 1) globalThis.gc();
  const { heapUsed, external, arrayBuffers } = process.memoryUsage();
  return heapUsed + external + arrayBuffers;
}

/** Realistic zones: an endpoint or two, CAPS, a key; one in nine begins a chain of eight edges. */
function load(count: number): { table: ZoneTable; chains: Map<number, string[]>; textBytes: number } {
  const table = new ZoneTable();
  const chains = new Map<number, string[]>(DEPTHS.map((depth) => [depth, []]));
  let textBytes = 0;
  for (let index = 0; index < count; index += 1) {
    const name = `zone-${index}`;
    const edges = 8 - (index % 9);
    const isWhole = index + edges < count;
    const records: object[] = [
      {
        type: 'MCP',
        value: { endpoint: `https://host-${index}.example.com/mcp`, capabilities: ['search', 'summarize'] },
        priority: 10 - (index % 9),
      },
      { type: 'CAPS', value: ['search', 'summarize', 'orders'] },
      { type: 'KEY', value: `ed25519:${Buffer.alloc(32, `${index}`).toString('base64')}` },
    ];
    if (edges > 0 && isWhole) records.push({ type: 'CASCADE', value: `zone-${index + 1}` });
    if (isWhole) chains.get(edges)?.push(name);
    const zone = { identity: name, created_at: '2026-01-01T00:00:00Z', contact: '@bench', ttl: 3600, records };
    const text = JSON.stringify(zone);
    textBytes += text.length;
    table.set(name, Buffer.from(text));
  }
  return { table, chains, textBytes };
}

async function printHttp(count: number): Promise<void> {
  const server = fork(new URL(import.meta.url), ['serve', String(count)], { execArgv: process.execArgv });
  const [{ port, constantPort, names }] = (await once(server, 'message')) as [
    { port: number; constantPort: number; names: string[] },
  ];
  const paths = {
    hit: names.map((name) => `/codex/resolve?identity=${name}&mode=mcp`),
    'hit, path form': names.map((name) => `/codex/resolve/mcp/${name}`),
    'default mode': names.map((name) => `/codex/resolve?identity=${name}`),
    'miss: no zone': names.map((name) => `/codex/resolve?identity=absent-${name}&mode=mcp`),
  };
  for (const [label, targets] of Object.entries(paths)) {
    const rounds: { ours: Load; constant: Load }[] = [];
    server.send({ constant: targets[0] });
    await once(server, 'message');
    for (let round = 0; round < HTTP_ROUNDS + 2; round += 1) {
      const ours = await drive(server, port, targets);
      const constant = await drive(server, constantPort, ['/constant']);
      if (round >= 2) rounds.push({ ours, constant });
    }
    const median = (value: (round: { ours: Load; constant: Load }) => number) =>
      at(
        rounds.map(value).sort((a, b) => a - b),
        0.5,
      );
    print(
      `| ${count} | ${label} | ${median((round) => round.ours.perSecond).toFixed(0)} | ${median((round) => round.constant.perSecond).toFixed(0)} | ${median((round) => round.ours.perSecond / round.constant.perSecond).toFixed(2)} | ${median((round) => round.ours.perCpuSecond / round.constant.perCpuSecond).toFixed(2)} |`,
    );
  }
  server.disconnect();
}

interface Load {
  readonly perSecond: number;
  readonly perCpuSecond: number;
}

/** Keeps one request in flight on each of a few sockets for one round, and counts the answers. */
async function drive(server: ReturnType<typeof fork>, port: number, paths: readonly string[]): Promise<Load> {
  const cpu = async () => {
    server.send('cpu');
    return (await once(server, 'message'))[0] as number;
  };
  const cpuBefore = await cpu();
  const startedAt = performance.now();
  const until = startedAt + HTTP_ROUND_MS;
  const counts = await Promise.all(
    Array.from({ length: SOCKETS }, (_, index) => driveSocket(port, paths, index, until)),
  );
  const seconds = (performance.now() - startedAt) / 1000;
  const answers = counts.reduce((sum, count) => sum + count, 0);
  return { perSecond: answers / seconds, perCpuSecond: answers / ((await cpu()) - cpuBefore) };
}

/** Without pipelining: clients do not use it, and it would hide the cost of a request. */
async function driveSocket(port: number, paths: readonly string[], first: number, until: number): Promise<number> {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  let [next, answers, text] = [first * 101, 0, ''];
  const send = () => {
    text = '';
    socket.write(`GET ${paths[next % paths.length]} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`);
  };
  socket.setEncoding('latin1');
  socket.on('data', (chunk: string) => {
    text += chunk;
    if (!isWhole(text)) return;
    verify(paths[next % paths.length] as string, text);
    answers += 1;
    next += 1;
    if (performance.now() < until) send();
    else socket.destroy();
  });
  send();
  await once(socket, 'close');
  return answers;
}

function isWhole(answer: string): boolean {
  const bodyAt = answer.indexOf('\r\n\r\n') + 4;
  const [, length] = /content-length: (\d+)/i.exec(answer) ?? [];
  return bodyAt > 3 && answer.length - bodyAt === Number(length);
}

/** An answer must be about the requested name, and say "not found" only if the zone does not exist. */
function verify(path: string, answer: string): void {
  const [, name] = /(?:identity=|\/mcp\/)([\w-]+)/.exec(path) ?? [];
  if (!name) return;
  const status = name.startsWith('absent-') ? 404 : 200;
  if (!answer.startsWith(`HTTP/1.1 ${status} `) || !answer.includes(`ai://${name}"`))
    throw new Error(`wrong answer to ${path}: ${answer}`);
}

async function serve(count: number): Promise<void> {
  const { table, chains } = load(count);
  const clock = { now: Date.now };
  const answers = new Answers({ zones: table, policy, clock });
  const quiet = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
  const writer = { update: () => Promise.reject(new Error('not here')), entries: () => [] };
  const registry = new Registry(table, policy, 'local.bindery');
  const registryServers = async function* () {};
  const room = bindRoomTo(bindRoom, { zones: table, writer, answers, policy, clock, registry, registryServers });
  const newRequestId = () => crypto.randomUUID();
  const app = createHttpApp({ rooms: [room], version: '0', log: quiet, newRequestId });
  let constant = app.fetch;
  const [port, constantPort] = [await listen(app), await listen({ fetch: (...request) => constant(...request) })];
  process.on('message', async (asked: 'cpu' | { constant: string }) => {
    const { user, system } = process.cpuUsage();
    if (asked !== 'cpu') constant = await constantOf(app, asked.constant);
    process.send?.((user + system) / 1e6);
  });
  process.on('disconnect', () => process.exit());
  process.send?.({ port, constantPort, names: DEPTHS.flatMap((depth) => (chains.get(depth) ?? []).slice(0, 300)) });
}

/** An answer of `app` as a constant, with its status and headers, so that both write the same bytes. */
async function constantOf(app: Hono, path: string): Promise<Hono['fetch']> {
  const answer = await app.request(path);
  const [text, status] = [await answer.text(), answer.status];
  const headers = Object.fromEntries(answer.headers);
  return new Hono().get('/constant', () => new Response(text, { status, headers })).fetch;
}

async function listen(app: Pick<Hono, 'fetch'>): Promise<number> {
  const server = createAdaptorServer({ fetch: app.fetch });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as { port: number }).port;
}

function at(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] as number;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
