import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { cpuMicros, residentMb } from './gateway/load.ts';
import { endAll, loadAverage, start } from './gateway/processes.ts';
import { initialize, post, startBindery, UPSTREAM, writeHome } from './gateway/subjects.ts';

/**
 * From the start of the process to the first complete list: 0, 100 and 1,000 servers over HTTP of 20 tools each, with an empty and
 * a filled registry. The client behaves as real clients do: it listens, lists, and lists again when it is notified that the list has
 * changed. The list is counted in bytes and tokens.
 */
const TOOLS = 20;
const isQuick = process.argv.includes('--quick');
const ROUNDS: ReadonlyMap<number, number> = new Map(
  isQuick
    ? [
        [0, 3],
        [100, 3],
      ]
    : [
        [0, 9],
        [100, 9],
        [1_000, 3],
      ],
);
const folder = mkdtempSync(join(tmpdir(), 'bindery-startup-'));

interface Start {
  readonly readyMs: number;
  readonly listedMs: number;
  readonly mb: number;
  readonly cpuMs: number;
  readonly all: string;
  readonly search: string;
}

try {
  const upstream = await start(process.execPath, [UPSTREAM, `--tools=${TOOLS}`]);
  // Not counted: the first start after an installation compiles, and so does the server at its first request.
  const first = join(folder, 'first');
  writeServers(first, upstream.url, 100);
  for (let round = 0; round < 2; round += 1) await measure(first, 100 * TOOLS);
  const rows: string[] = [];
  for (const [servers, rounds] of ROUNDS) {
    const starts = new Map<string, Start[]>();
    for (let round = 0; round < rounds; round += 1) {
      const home = join(folder, `home-${servers}-${round}`);
      writeServers(home, upstream.url, servers);
      for (const registry of ['cold', 'warm']) {
        starts.set(registry, [...(starts.get(registry) ?? []), await measure(home, servers * TOOLS)]);
      }
    }
    for (const [registry, measured] of starts) rows.push(row(servers, registry, measured));
  }
  const counts = [...ROUNDS].map(([servers, rounds]) => `${rounds} with ${servers}`).join(', ');
  console.log(`Medians of starts (${counts} servers); load average ${loadAverage()}.\n`);
  console.log(
    '| servers × 20 tools | registry | accepts connections, ms | complete list, ms | CPU until then, ms | resident MB | all: bytes | all: tokens | search: bytes | search: tokens |',
  );
  console.log('|--:|---|--:|--:|--:|--:|--:|--:|--:|--:|');
  for (const line of rows) console.log(line);
} finally {
  await endAll();
  rmSync(folder, { recursive: true, force: true });
}
process.exit(0);

function writeServers(home: string, url: string, servers: number): void {
  const names = Array.from({ length: servers }, (_, index) => `u${index}`);
  writeHome(home, Object.fromEntries(names.map((name) => [name, `${url}?${name}`])));
  const file = join(home, '.bindery', 'config.json');
  const config = JSON.parse(readFileSync(file, 'utf8')) as { gateway: object };
  const profiles = { search: { exposure: 'search' } };
  writeFileSync(file, JSON.stringify({ ...config, gateway: { ...config.gateway, profiles } }));
}

async function measure(home: string, tools: number): Promise<Start> {
  const bindery = await startBindery(home, folder);
  const readyMs = performance.now() - bindery.startedAt;
  const all = await listOf(`${bindery.url}/mcp`, tools);
  const listedMs = performance.now() - bindery.startedAt;
  const cpuMs = (cpuMicros([bindery.pid]) ?? 0) / 1_000;
  const mb = residentMb([bindery.pid]);
  const search = await listOf(`${bindery.url}/mcp/search`, 1);
  bindery.child.kill('SIGTERM');
  await new Promise((resolve) => bindery.child.once('exit', resolve));
  return { readyMs, listedMs, mb, cpuMs, all, search };
}

/** The result of `tools/list` once it is complete. */
async function listOf(url: string, tools: number): Promise<string> {
  const headers = { 'mcp-session-id': (await initialize(url)) as string };
  const changes = await listen(url, headers);
  for (;;) {
    const text = await (await post(url, { jsonrpc: '2.0', id: 1, method: 'tools/list' }, headers)).text();
    if (text.split('"inputSchema"').length > tools) {
      changes.end();
      return resultOf(text);
    }
    await changes.next();
  }
}

/** The stream on which the gateway says that the list has changed. */
async function listen(url: string, headers: Record<string, string>) {
  const ending = new AbortController();
  const { body } = await fetch(url, { headers: { accept: 'text/event-stream', ...headers }, signal: ending.signal });
  const reader = (body as ReadableStream<Uint8Array>).getReader();
  let heard = '';
  const next = async () => {
    while (!heard.includes('tools/list_changed')) {
      const { value, done } = await reader.read();
      if (done) throw new Error('the gateway ended the stream');
      heard += Buffer.from(value).toString('utf8');
    }
    heard = '';
  };
  return { next, end: () => ending.abort() };
}

function resultOf(text: string): string {
  return JSON.stringify((JSON.parse(text) as { result: { tools: unknown } }).result.tools);
}

function row(servers: number, registry: string, starts: readonly Start[]): string {
  const [sample] = starts as [Start];
  const middle = (of: (start: Start) => number) =>
    Math.round(starts.map(of).sort((a, b) => a - b)[Math.floor(starts.length / 2)] as number);
  const sizes = [sample.all, sample.search].flatMap((text) => [Buffer.byteLength(text), countTokens(text)]);
  const cells = [
    servers,
    registry,
    middle(({ readyMs }) => readyMs),
    middle(({ listedMs }) => listedMs),
    middle(({ cpuMs }) => cpuMs),
    middle(({ mb }) => mb),
    ...sizes,
  ];
  return `| ${cells.join(' | ')} |`;
}
