import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { cpuMicros, type Load, type Measured, run, type Subject } from './gateway/load.ts';
import { endAll, loadAverage, type Started, start } from './gateway/processes.ts';
import { bindery, initialize, startBindery, UPSTREAM, untilListed, writeHome } from './gateway/subjects.ts';

/**
 * Compares this tree with another built one: `npm run bench:against -- --tree=DIR`. Rounds alternate between the two, so that a
 * busy machine affects both equally, and each ratio is the median over the rounds. Two processes of one tree may differ by 20 %, so the
 * rounds use several pairs of processes. Every answer is verified.
 */
const PAIRS = process.argv.includes('--quick') ? 1 : 5;
const ROUNDS = process.argv.includes('--quick') ? 5 : 3;
const STARTS = process.argv.includes('--quick') ? 5 : 11;
const LOADS: readonly Load[] = [
  { name: 'one at a time', tool: 'echo', upstream: 'json', concurrency: 1, calls: 1_000 },
  { name: '32 concurrent', tool: 'echo', upstream: 'json', concurrency: 32, calls: 4_000 },
  { name: '64 KiB answers', tool: 'large', upstream: 'json', concurrency: 32, calls: 800 },
  { name: 'stdio upstream', tool: 'echo', upstream: 'stdio', concurrency: 32, calls: 2_000 },
];
const SERVERS = 100;
const other = process.argv.find((argument) => argument.startsWith('--tree='))?.slice('--tree='.length);
if (other === undefined) {
  console.error('usage: npm run bench:against -- --tree=DIR [--quick]   (DIR: a built checkout of another commit)');
  process.exit(2);
}
const TREES = [
  { name: 'other', file: join(resolve(other), 'bin', 'bindery.js') },
  { name: 'this', file: join(import.meta.dirname, '..', 'bin', 'bindery.js') },
] as const;
type Tree = (typeof TREES)[number];

const folder = mkdtempSync(join(tmpdir(), 'bindery-against-'));
try {
  await compareCalls();
  const upstream = await start(process.execPath, [UPSTREAM]);
  await compareStarts(upstream.url);
  console.log(
    `\nMedians of ${PAIRS} pairs of processes, ${ROUNDS} rounds each, and of ${STARTS} starts, alternating; load average ${loadAverage()}.`,
  );
} finally {
  await endAll();
  rmSync(folder, { recursive: true, force: true });
}
process.exit(0);

async function compareCalls(): Promise<void> {
  const measured = LOADS.map((): [Measured[], Measured[]] => [[], []]);
  for (let pair = 0; pair < PAIRS; pair += 1) await measurePair(measured);
  console.log('| load | CPU µs/call, other | this | this / other | p50 ms, other | this |\n|---|--:|--:|--:|--:|--:|');
  for (const [index, { name }] of LOADS.entries()) {
    const [others, own] = measured[index] as [Measured[], Measured[]];
    const cpu = ({ cpuUs }: Measured) => cpuUs ?? 0;
    const p50 = (one: Measured) => one.p50;
    const cells = [median(others.map(cpu)), median(own.map(cpu))].map((us) => us.toFixed(0));
    const times = [median(others.map(p50)), median(own.map(p50))].map((ms) => ms.toFixed(2));
    console.log(`| ${[name, ...cells, ratio(others.map(cpu), own.map(cpu)), ...times].join(' | ')} |`);
  }
}

/** Starts one process of each tree, and adds the rounds of each load. */
async function measurePair(measured: readonly [Measured[], Measured[]][]): Promise<void> {
  const { url } = await start(process.execPath, [UPSTREAM]);
  const subjects: Subject[] = [];
  for (const tree of TREES) subjects.push(await bindery(url, folderOf(tree), 1, tree));
  for (const subject of subjects) for (const load of LOADS) await run(subject, { ...load, calls: 4_000 });
  for (const [index, load] of LOADS.entries()) {
    const rounds = await alternate(ROUNDS, (tree) => run(subjects[tree] as Subject, load));
    for (const tree of [0, 1] as const) measured[index]?.[tree].push(...rounds[tree]);
  }
  await endAll();
}

async function compareStarts(url: string): Promise<void> {
  console.log('\n| start | figure | other | this | this / other |\n|---|---|--:|--:|--:|');
  for (const servers of [0, SERVERS]) {
    const homes = TREES.map((tree) => writeServers(tree, url, servers));
    const startOf = (index: number) => measureStart(TREES[index] as Tree, homes[index] as string, servers);
    // Not counted: the first start of a tree compiles, and the first start in a home learns the tools of its servers.
    await alternate(1, startOf);
    const [others, own] = await alternate(STARTS, startOf);
    for (const figure of ['ready ms', 'listed ms', 'CPU ms'] as const) {
      const [before, after] = [others, own].map((starts) => starts.map((one) => one[figure])) as [number[], number[]];
      const cells = [median(before).toFixed(0), median(after).toFixed(0), ratio(before, after)];
      console.log(`| ${servers} servers | ${figure} | ${cells.join(' | ')} |`);
    }
  }
}

async function measureStart(tree: Tree, home: string, servers: number) {
  const started: Started = await startBindery(home, folder, [], tree);
  const ready = performance.now() - started.startedAt;
  const url = `${started.url}/mcp`;
  if (servers > 0) await untilListed(url, { 'mcp-session-id': (await initialize(url)) as string }, servers * 2);
  const listed = performance.now() - started.startedAt;
  const cpu = (cpuMicros([started.pid]) ?? 0) / 1_000;
  started.child.kill('SIGTERM');
  await new Promise((ended) => started.child.once('exit', ended));
  return { 'ready ms': ready, 'listed ms': listed, 'CPU ms': cpu };
}

function writeServers(tree: Tree, url: string, servers: number): string {
  const home = join(folderOf(tree), `start-${servers}`);
  const names = Array.from({ length: servers }, (_, index) => `u${index}`);
  writeHome(home, Object.fromEntries(names.map((name) => [name, `${url}?${name}`])));
  return home;
}

function folderOf({ name }: Tree): string {
  const place = join(folder, name);
  mkdirSync(place, { recursive: true });
  return place;
}

/** Measures both trees in each round, in alternating order. */
async function alternate<T>(rounds: number, measure: (index: 0 | 1) => Promise<T>): Promise<[T[], T[]]> {
  const results: [T[], T[]] = [[], []];
  for (let round = 0; round < rounds; round += 1) {
    const order = round % 2 === 0 ? ([0, 1] as const) : ([1, 0] as const);
    for (const index of order) results[index].push(await measure(index));
  }
  return results;
}

function ratio(others: readonly number[], own: readonly number[]): string {
  return median(own.map((value, round) => value / (others[round] as number))).toFixed(3);
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] as number;
}
