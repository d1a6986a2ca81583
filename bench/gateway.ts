import { mkdtempSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Load, type Measured, residentMb, run, type Subject } from './gateway/load.ts';
import { peers } from './gateway/peers.ts';
import { endAll, loadAverage, start } from './gateway/processes.ts';
import { bindery, direct, nginx, sdkGateway, UPSTREAM } from './gateway/subjects.ts';

/**
 * What a call costs through the gateway, beside the same call made directly, through nginx and through a gateway written
 * with the SDK; policy and audit are on. `--quick` runs a part of the calls, `--peers` installs and measures programs of
 * others as well.
 */
const quick = process.argv.includes('--quick');
const ROUNDS = quick ? 1 : 3;
const scaled = (calls: number) => Math.round(quick ? calls / 8 : calls);
const LOADS: readonly Load[] = [
  { name: 'one at a time', tool: 'echo', upstream: 'json', concurrency: 1, calls: scaled(1_500) },
  { name: '32 concurrent', tool: 'echo', upstream: 'json', concurrency: 32, calls: scaled(10_000) },
  {
    name: '32 concurrent, by fetch',
    tool: 'echo',
    upstream: 'json',
    concurrency: 32,
    calls: scaled(5_000),
    byFetch: true,
  },
  { name: '64 KiB answers', tool: 'large', upstream: 'json', concurrency: 32, calls: scaled(1_500) },
  { name: 'SSE answers', tool: 'echo', upstream: 'sse', concurrency: 32, calls: scaled(3_000) },
  { name: '100 upstreams', tool: 'echo', upstream: 'many', concurrency: 32, calls: scaled(3_000) },
  { name: 'stdio upstream', tool: 'echo', upstream: 'stdio', concurrency: 32, calls: scaled(4_000) },
];
const WARM_UP_CALLS = quick ? 1_000 : 6_000;

const folder = mkdtempSync(join(tmpdir(), 'bindery-bench-'));
try {
  const upstream = await start(process.execPath, [UPSTREAM]);
  const subjects = [
    direct(upstream.url),
    ...(await nginx(upstream.url, folder)),
    await bindery(upstream.url, folder, 1),
    await bindery(upstream.url, folder, 2),
    await sdkGateway(upstream.url),
    ...(process.argv.includes('--peers') ? await peers(folder, upstream.url) : []),
  ];
  // What is compiled on first use is not what is measured: a gateway runs for days.
  const [warming] = LOADS.filter(({ name }) => name === '32 concurrent') as [Load];
  for (const subject of subjects) {
    if (subject.route(warming, 0)) await run(subject, { ...warming, calls: WARM_UP_CALLS });
  }
  const table = new Map<string, Measured[]>();
  for (const load of LOADS) {
    const able = subjects.filter((subject) => subject.route(load, 0) !== undefined);
    for (const subject of able) await run(subject, { ...load, calls: Math.min(load.calls, 300) });
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const subject of able) {
        const key = `${load.name}\n${subject.name}`;
        table.set(key, [...(table.get(key) ?? []), await run(subject, load)]);
      }
    }
  }
  report(subjects, table);
} finally {
  endAll();
  rmSync(folder, { recursive: true, force: true });
}
process.exit(0);

function report(subjects: readonly Subject[], table: ReadonlyMap<string, readonly Measured[]>): void {
  console.log(
    `Machine: ${cpus().length} × ${cpus()[0]?.model}, Node ${process.versions.node}; median of ${ROUNDS} rounds, interleaved; load average ${loadAverage()}.\n`,
  );
  console.log(
    '| load | through | calls/s | of direct | of the SDK gateway | p50 ms | p95 ms | p99 ms | CPU µs/call |\n|---|---|--:|--:|--:|--:|--:|--:|--:|',
  );
  for (const load of LOADS) {
    const rateOf = (name: string | undefined) => middle(table.get(`${load.name}\n${name}`))?.callsPerSecond;
    const [base, sdk] = [rateOf(subjects[0]?.name), rateOf('written with the SDK')];
    for (const subject of subjects) {
      const measured = middle(table.get(`${load.name}\n${subject.name}`));
      if (!measured) continue;
      const { callsPerSecond: rate, p50, p95, p99, cpuUs } = measured;
      const cells = [load.name, subject.name, Math.round(rate), share(rate, base), share(rate, sdk), ms(p50), ms(p95)];
      console.log(`| ${[...cells, ms(p99), cpuUs === undefined ? '' : Math.round(cpuUs)].join(' | ')} |`);
    }
  }
  const resident = subjects
    .filter(({ pids }) => pids().length > 0)
    .map(({ name, pids }) => `${name} ${Math.round(residentMb(pids()))} MB`);
  console.log(`\nResident memory afterwards: ${resident.join(', ')}.`);
}

function middle(rounds: readonly Measured[] | undefined): Measured | undefined {
  const sorted = [...(rounds ?? [])].sort((a, b) => a.callsPerSecond - b.callsPerSecond);
  return sorted[Math.floor(sorted.length / 2)];
}

function share(rate: number, of: number | undefined): string {
  return of === undefined ? '' : `${Math.round((100 * rate) / of)} %`;
}

function ms(value: number): string {
  return value.toFixed(2);
}
