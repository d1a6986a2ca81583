// Measures the room `context` on a corpus that is made from a seed, beside a naive scan, SQLite FTS5 and MiniSearch.
// Prints a table as Markdown; exits with 1 if an answer differs by a byte from the slow path or from the naive model.
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { availableParallelism, cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { SEARCH_FILE } from '../src/context/search/index-layout.ts';
import { createCorpus, writeCorpus, writeFiles } from './context-corpus.ts';
import type { Measured } from './context-ways.ts';

const { values } = parseArgs({
  options: {
    docs: { type: 'string', default: '100000' },
    seed: { type: 'string', default: '1' },
    dir: { type: 'string', default: tmpdir() },
  },
});
const documentCount = Number(values.docs);
const seed = Number(values.seed);
const folder = mkdtempSync(join(values.dir, 'bindery-bench-'));
try {
  process.exitCode = run() ? 0 : 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function run(): boolean {
  const sources = join(folder, 'sources');
  const cache = join(folder, 'cache');
  mkdirSync(sources);
  const corpus = createCorpus(documentCount, seed);
  writeCorpus(sources, corpus);
  const bytes = corpus.documents.reduce((sum, { content }) => sum + content.length, 0);
  // Each build uses a new folder: removing an old cache is extra work, and ext4 creates files slowly for minutes after many were removed.
  // Earlier writes are synced first, so that a build does not wait for them. The speed of creating files varies so much from hour to hour
  // that a plain loop, which only writes the same texts to one folder, is measured between the builds.
  const afterSync = (work: () => void) => {
    execFileSync('sync');
    return timed(work);
  };
  const [first, files, second, third] = [
    afterSync(() => command('build', '--sources', sources, '--cache', `${cache}-1`)),
    afterSync(() => writeFiles(join(folder, 'files'), corpus)),
    afterSync(() => command('build', '--sources', sources, '--cache', `${cache}-2`)),
    afterSync(() => command('build', '--sources', sources, '--cache', cache)),
  ];
  const buildMs = median([first, second, third]);
  const incrementalMs = timed(() => command('build', '--sources', sources, '--cache', `${cache}-1`, '--incremental'));
  const question = ['--query', corpus.words.slice(3, 6).join(' '), '--budget', '4000'];
  const coldMs = median(
    Array.from({ length: 7 }, () => timed(() => command('resolve', '--cache', cache, ...question))),
  );
  const searchCold = Array.from({ length: 7 }, () => timedWithCpu('search', '--cache', cache, ...question));
  const cold = {
    search: median(searchCold.map(({ ms }) => ms)),
    searchCpu: median(searchCold.map(({ cpuMs }) => cpuMs)),
  };
  cpSync(cache, `${cache}-without-index`, { recursive: true });
  rmSync(join(`${cache}-without-index`, SEARCH_FILE));
  const ways = ['ours', 'search', 'searchInMemory', 'naive', 'fts5', 'minisearch'].map((name) => measure(name, cache));
  print(bytes, { buildMs, filesMs: files, incrementalMs, coldMs, cold }, cache, ways);
  const isSame = ways.every((way) => way.isSame);
  console.log(isSame ? '\nAll compared answers are the same bytes.' : '\nerror: answers differ from the slow way');
  return isSame;
}

function command(...argv: string[]): void {
  execFileSync(process.execPath, [fileURLToPath(new URL('../bin/context.js', import.meta.url)), ...argv], {
    stdio: ['ignore', 'pipe', 'pipe'],
    maxBuffer: 2 ** 30,
  });
}

/** Each way runs in its own process, so that its memory can be measured. */
function measure(name: string, cache: string): Measured {
  const script = fileURLToPath(new URL('./context-ways.ts', import.meta.url));
  const argv = [
    '--expose-gc',
    '--disable-warning=ExperimentalWarning',
    script,
    name,
    String(documentCount),
    String(seed),
    cache,
  ];
  return JSON.parse(execFileSync(process.execPath, argv, { encoding: 'utf8', maxBuffer: 2 ** 30 }));
}

interface CommandTimes {
  readonly buildMs: number;
  /** Time to write only the files. */
  readonly filesMs: number;
  /** Time of an incremental build without changes. */
  readonly incrementalMs: number;
  readonly coldMs: number;
  readonly cold: { readonly search: number; readonly searchCpu: number };
}

function print(bytes: number, times: CommandTimes, cache: string, ways: readonly Measured[]): void {
  const [ours, search, inMemory, ...others] = ways as [Measured, Measured, Measured, ...Measured[]];
  const perSecond = (ms: number) => Math.round((documentCount / ms) * 1000).toLocaleString('en');
  const row = (way: Measured, build: string, cold: string) =>
    `| ${way.name} | ${build} | ${cold} | ${way.common.join(' / ')} | ${way.rare.join(' / ')} | ${way.rssMb} |`;
  console.log(
    [
      `${documentCount.toLocaleString('en')} documents, ${(bytes / 1e6).toFixed(0)} MB, ${cpus()[0]?.model.trim()}, ${availableParallelism()} cores, Node ${process.versions.node}. Postings: ${(statSync(join(cache, 'postings.bin')).size / 1e6).toFixed(1)} MB, search index: ${(statSync(join(cache, SEARCH_FILE)).size / 1e6).toFixed(1)} MB. Load average: ${loadavg()[0]?.toFixed(1)}.`,
      '',
      '| way | build, documents/s | whole command from a cold start, ms | three common terms, ms p50 / p95 / p99 | one rare term, ms p50 / p95 / p99 | resident, MB |',
      '|---|---|---|---|---|---|',
      row(ours, perSecond(times.buildMs), times.coldMs.toFixed(0)),
      row(search, '', `${times.cold.search.toFixed(0)} (CPU ${times.cold.searchCpu.toFixed(0)})`),
      row(inMemory, '', `${(inMemory.firstMs ?? 0).toFixed(0)} for the first query`),
      `| the same files, by a loop | ${perSecond(times.filesMs)} | | | | |`,
      ...others.map((way) => row(way, way.buildMs === undefined ? '' : perSecond(way.buildMs), '')),
      '',
      `An incremental build of the same sources: ${perSecond(times.incrementalMs)} documents/s.`,
    ].join('\n'),
  );
}

/** Runs a command and returns its wall time and its CPU time, which other programs do not affect. */
function timedWithCpu(...argv: string[]): { readonly ms: number; readonly cpuMs: number } {
  const script = 'TIMEFORMAT="%R %U %S"; time "$@" > /dev/null 2> /dev/null';
  const told = [process.execPath, fileURLToPath(new URL('../bin/context.js', import.meta.url)), ...argv];
  const { stderr } = spawnSync('bash', ['-c', script, 'bash', ...told], { encoding: 'utf8' });
  const [ms = 0, user = 0, system = 0] = stderr
    .trim()
    .split(' ')
    .map((seconds) => Number(seconds) * 1000);
  return { ms, cpuMs: user + system };
}

function timed(work: () => void): number {
  const started = performance.now();
  work();
  return performance.now() - started;
}

function median(numbers: readonly number[]): number {
  return [...numbers].sort((left, right) => left - right)[Math.floor(numbers.length / 2)] as number;
}
