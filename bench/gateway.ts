import { mkdtempSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Load, type Measured, residentMb, run, type Subject } from './gateway/load.ts';
import { peers } from './gateway/peers.ts';
import { endAll, loadAverage, start } from './gateway/processes.ts';
import { bareRouter, bindery, direct, nginx, sdkGateway, UPSTREAM } from './gateway/subjects.ts';

/**
 * The cost of a call through the gateway, compared with the same call made directly, through nginx, through a router without features and
 * through a gateway written with the SDK; policy and audit are on. The speed of a shared machine varies within seconds, so there are
 * many short rounds, and a share is the median of the shares of each round. `--quick` runs a part of the calls, `--peers` installs
 * and measures other gateways as well.
 */
const quick = process.argv.includes('--quick');
const ROUNDS = quick ? 1 : 7;
const scaled = (calls: number) => Math.round(quick ? calls / 8 : calls);
const CONCURRENT: Load = {
  name: '32 concurrent',
  tool: 'echo',
  upstream: 'json',
  concurrency: 32,
  calls: scaled(4_000),
};
const LARGE: Load = { name: '64 KiB answers', tool: 'large', upstream: 'json', concurrency: 32, calls: scaled(800) };
const by = (client: NonNullable<Load['client']>, load: Load, calls = load.calls): Load => ({
  ...load,
  name: `${load.name}, by ${client}`,
  calls,
  client,
});
const LOADS: readonly Load[] = [
  { name: 'one at a time', tool: 'echo', upstream: 'json', concurrency: 1, calls: scaled(800) },
  CONCURRENT,
  by('node:http', CONCURRENT, scaled(2_000)),
  by('fetch', CONCURRENT, scaled(2_000)),
  LARGE,
  by('node:http', LARGE),
  by('fetch', LARGE),
  { name: 'SSE answers', tool: 'echo', upstream: 'sse', concurrency: 32, calls: scaled(2_000) },
  { name: '100 upstreams', tool: 'echo', upstream: 'many', concurrency: 32, calls: scaled(2_000) },
  { name: 'stdio upstream', tool: 'echo', upstream: 'stdio', concurrency: 32, calls: scaled(2_000) },
];
const WARM_UP_CALLS = 1_000;
const WARM_UP_MS = quick ? 1_000 : 6_000;

const folder = mkdtempSync(join(tmpdir(), 'bindery-bench-'));
try {
  const upstream = await start(process.execPath, [UPSTREAM]);
  const subjects = [
    direct(upstream.url),
    ...(await nginx(upstream.url, folder)),
    await bareRouter(upstream.url),
    await bindery(upstream.url, folder, 1),
    await bindery(upstream.url, folder, 2),
    await sdkGateway(upstream.url),
    ...(process.argv.includes('--peers') ? await peers(folder, upstream.url) : []),
  ];
  // Warm up first: compilation on first use is not measured, because a gateway runs for days.
  for (const subject of subjects) {
    const end = performance.now() + WARM_UP_MS;
    const load = LOADS.find((one) => one.concurrency > 1 && subject.route(one, 0)) as Load;
    while (performance.now() < end) await run(subject, { ...load, calls: WARM_UP_CALLS });
  }
  const table = new Map<string, Measured[]>();
  for (const load of LOADS) {
    const able = subjects.filter((subject) => subject.route(load, 0) !== undefined);
    for (const subject of able) await run(subject, { ...load, calls: Math.min(load.calls, 300) });
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const subject of able) {
        const key = `${load.name}\n${subject.name}`;
        table.set(key, [...(table.get(key) ?? []), await run(subject, load, upstream.pid)]);
      }
    }
  }
  report(subjects, table, upstream.pid);
} finally {
  await endAll();
  rmSync(folder, { recursive: true, force: true });
}
process.exit(0);

function report(subjects: readonly Subject[], table: ReadonlyMap<string, readonly Measured[]>, server: number): void {
  console.log(
    `Machine: ${cpus().length} × ${cpus()[0]?.model}, Node ${process.versions.node}; median of ${ROUNDS} rounds, interleaved; load average ${loadAverage()}.\n`,
  );
  console.log(
    '| load | through | calls/s | of direct | of the SDK gateway | p50 ms (in that of direct) | p95 ms | p99 ms | CPU µs/call | with the server (in that of direct) |\n|---|---|--:|--:|--:|--:|--:|--:|--:|--:|',
  );
  for (const load of LOADS) {
    const roundsOf = (name: string | undefined) => table.get(`${load.name}\n${name}`);
    const [base, sdk] = [roundsOf(subjects[0]?.name), roundsOf('written with the SDK')];
    for (const subject of subjects) {
      const rounds = roundsOf(subject.name);
      if (!rounds) continue;
      const of = (pick: (measured: Measured) => number) => middle(rounds.map(pick));
      const times = (['p50', 'p95', 'p99'] as const).map((name) => {
        const ms = of((measured) => measured[name]);
        return base
          ? `${ms.toFixed(2)} (${(ms / middle(base.map((measured) => measured[name]))).toFixed(1)})`
          : ms.toFixed(2);
      });
      const rate = Math.round(of(({ callsPerSecond }) => callsPerSecond));
      const cpuUs = subject.pids().length === 0 ? '' : Math.round(of((measured) => measured.cpuUs ?? 0));
      const whole = base ? inDirect(rounds, base) : '';
      const cells = [load.name, subject.name, rate, share(rounds, base), share(rounds, sdk), ...times, cpuUs, whole];
      console.log(`| ${cells.join(' | ')} |`);
    }
  }
  const serverMb = residentMb([server]);
  const resident = subjects
    .filter(({ pids }) => pids().length > 0)
    .map(({ name, pids }) => ({ name, mb: residentMb(pids()) }))
    .map(({ name, mb }) => `${name} ${Math.round(mb)} MB (${((mb + serverMb) / serverMb).toFixed(1)})`);
  console.log(
    `\nResident memory afterwards, with the server in that of direct calls, which is the server's ${Math.round(serverMb)} MB: ${resident.join(', ')}.`,
  );
}

function middle(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] as number;
}

/** The CPU time of subject and server, and its ratio to that of the server when it is called directly. */
function inDirect(rounds: readonly Measured[], base: readonly Measured[]): string {
  const [us, directly] = [rounds, base].map((measured) =>
    middle(measured.map(({ withServerUs }) => withServerUs ?? 0)),
  );
  return us && directly ? `${Math.round(us)} (${(us / directly).toFixed(1)})` : '';
}

/** The rate divided by that of another subject in the same round. */
function share(rounds: readonly Measured[], of: readonly Measured[] | undefined): string {
  if (of === undefined) return '';
  const shares = rounds.map(({ callsPerSecond }, round) => callsPerSecond / (of[round] as Measured).callsPerSecond);
  return `${Math.round(100 * middle(shares))} %`;
}
