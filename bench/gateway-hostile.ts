import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { type FleetSize, startFleet } from '../test/support/fleet.ts';
import { openSession } from '../test/support/raw-client.ts';
import {
  createHome,
  listServers,
  processesOf,
  type RunningBindery,
  rssOf,
  startBindery,
  until,
  untilKnown,
} from '../test/support/running-bindery.ts';

/** A fleet of 100 servers with 20 tools each, with and without the bad ones: what healthy clients notice. Prints Markdown. */
const small = process.argv.includes('--small');
const HEALTHY = small ? 12 : 60;
const BAD = small ? 2 : 10;
const CALLS = small ? 600 : 6_000;
const WORKERS = 4;
const TROUBLE_EVERY_MS = 1_000;
const NO_BAD = { dead: 0, hanging: 0, flapping: 0, hostile: false };

interface Figures {
  readonly firstListMs: number;
  readonly listMs: readonly number[];
  readonly callMs: readonly number[];
  readonly wrong: number;
  readonly rssMb: number;
}

if (process.argv[2] === 'trouble') {
  await callBadServers(String(process.argv[3]), Number(process.argv[4]));
}

const healthyFleet = await startFleet();
// The bad ones have a process of their own: they are to burden the gateway, not the healthy servers.
const badFleet = await startFleet();
const rows: string[][] = [];
try {
  const without = await measure({ healthy: HEALTHY, ...NO_BAD });
  const sized = { healthy: HEALTHY, dead: BAD, hanging: BAD, flapping: BAD, hostile: true };
  const withBad = await measure(sized);
  for (const [name, figures] of [
    [`${HEALTHY} healthy servers alone`, without],
    [`the same beside ${3 * BAD + 10} bad ones`, withBad],
  ] as const)
    rows.push([
      name,
      figures.firstListMs.toFixed(1),
      percentile(figures.listMs, 95).toFixed(2),
      percentile(figures.callMs, 50).toFixed(2),
      percentile(figures.callMs, 95).toFixed(2),
      String(figures.wrong),
      String(figures.rssMb),
    ]);
  table(['', 'first list, ms', 'list p95, ms', 'call p50, ms', 'call p95, ms', 'wrong answers', 'memory, MB'], rows);
  console.log(
    `p95 of healthy calls beside bad servers: ${(percentile(withBad.callMs, 95) / percentile(without.callMs, 95)).toFixed(2)} times that without`,
  );
} finally {
  healthyFleet.process.kill();
  badFleet.process.kill();
}

async function measure(size: FleetSize): Promise<Figures> {
  const config = badFleet.config({ ...size, healthy: 0 });
  Object.assign(config.mcp.servers, healthyFleet.config({ ...size, ...NO_BAD }).mcp.servers);
  const home = await createHome(config);
  const bindery = await startBindery(home);
  try {
    const session = await openSession(bindery.mcpUrl);
    const firstListMs = await timed(() => session.request('tools/list'));
    await untilKnown(bindery, ...Array.from({ length: HEALTHY }, (_, index) => `healthy-${index}`));
    const arguments_ = [fileURLToPath(import.meta.url), 'trouble', bindery.mcpUrl, String(size.flapping)];
    const trouble = size.hostile ? spawn(process.execPath, arguments_, { stdio: 'inherit' }) : undefined;
    const figures = await callHealthyServers(bindery);
    trouble?.kill();
    if (size.hostile) await printStates(bindery);
    const code = await bindery.stop('SIGTERM');
    await until('no process is left', () => processesOf(home).length === 0);
    console.log(`ended with ${code}, no process left\n`);
    return { firstListMs, ...figures };
  } finally {
    bindery.process.kill('SIGKILL');
    await home.remove();
  }
}

async function callHealthyServers(bindery: RunningBindery): Promise<Omit<Figures, 'firstListMs'>> {
  const callMs: number[] = [];
  const listMs: number[] = [];
  let wrong = 0;
  let rssMb = 0;
  let sent = 0;
  const worker = async () => {
    const session = await openSession(bindery.mcpUrl);
    while (sent < CALLS) {
      const place = sent;
      sent += 1;
      const name = `healthy-${place % HEALTHY}__tool-${place % 20}`;
      const text = `text ${place}`;
      callMs.push(
        await timed(async () => {
          const { result } = await session.request('tools/call', { name, arguments: { text } });
          if ((result as { content?: { text: string }[] } | undefined)?.content?.[0]?.text !== text) wrong += 1;
        }),
      );
      if (place % 100 === 0) {
        listMs.push(await timed(() => session.request('tools/list')));
        rssMb = Math.max(rssMb, rssOf(bindery.process.pid));
      }
    }
  };
  await Promise.all(Array.from({ length: WORKERS }, worker));
  return { callMs, listMs, wrong, rssMb };
}

/** Somebody who calls every bad server over and over, whatever comes of it. */
async function callBadServers(url: string, flapping: number): Promise<never> {
  const session = await openSession(url);
  const names = [
    ...Array.from({ length: flapping }, (_, index) => `flapping-${index}__tool-1`),
    'http-wrong-ids__tool-1',
    'http-slow-bytes__tool-1',
    'http-huge__tool-1',
    'http-flood__tool-1',
    'http-cursor-loop__tool-1',
    'stdio-flood__echo',
    'stdio-huge__echo',
  ];
  await Promise.all(
    names.map(async (name) => {
      for (;;) {
        await session.request('tools/call', { name, arguments: { text: 'x' } });
        await new Promise((resolve) => setTimeout(resolve, TROUBLE_EVERY_MS));
      }
    }),
  );
  throw new Error('unreachable');
}

async function printStates(bindery: RunningBindery): Promise<void> {
  const kinds = new Map<string, Record<string, unknown>>();
  for (const item of await listServers(bindery)) {
    const kind = String(item.id).replace(/-\d+$/, '');
    kinds.set(kind, kinds.get(kind) ?? item);
  }
  table(
    ['kind', 'state', 'breaker', 'reason or last error'],
    [...kinds].map(([kind, { state, breaker, reason, last_error }]) => [
      kind,
      String(state),
      (breaker as { state: string }).state,
      String(last_error ?? reason ?? '').slice(0, 90),
    ]),
  );
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

function percentile(values: readonly number[], percent: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor((sorted.length * percent) / 100))] ?? 0;
}

function table(head: readonly string[], lines: readonly (readonly string[])[]): void {
  const row = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  console.log([row(head), row(head.map(() => '---')), ...lines.map(row), ''].join('\n'));
}
