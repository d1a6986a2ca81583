import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { CorpusBuilder } from '../src/civic/corpus/corpus-builder.ts';
import { allHealthy } from '../src/civic/reads/ports.ts';
import type { SiteSource } from '../src/civic/site/site-source.ts';
import { CorpusFolder } from '../src/store/corpus/corpus-folder.ts';
import { GitHistory } from '../src/store/corpus/git-history.ts';
import { type WrittenSite, writeSite } from '../src/store/corpus/site-folder.ts';
import { commitAll, largeCorpus, skillId, writeCorpus } from '../test/support/large-corpus.ts';

/*
 * The site of a corpus of 300 artefacts in six languages: from nothing, again after one change, and with nothing changed.
 * Each copy is compared with one that was written from nothing. Asked: 5 s and 300 ms.
 */

const ROUNDS = 5;
const scratch = mkdtempSync(join(tmpdir(), 'civic-site-'));
const dir = join(scratch, 'corpus');
writeCorpus(dir, largeCorpus(), 'Add the corpus');

const full: number[] = [];
let first: WrittenSite | undefined;
for (let round = 0; round < ROUNDS; round++) {
  const { ms, done } = await timed(() => build(join(scratch, `full-${round}`)));
  full.push(ms);
  first = done;
}
const out = join(scratch, 'full-0');
const folder = new CorpusFolder(dir);
const builder = new CorpusBuilder();
const history = new GitHistory(dir);
await build(out, { folder, builder, history });
const incremental: number[] = [];
const cold: number[] = [];
let written = 0;
for (let round = 0; round < ROUNDS; round++) {
  const file = join(dir, `skills/${skillId(7 + round)}/canonical.md`);
  writeFileSync(file, `${readFileSync(file, 'utf8')}\nA further sentence, number ${round}.\n`);
  commitAll(dir, `Change ${round}`);
  const warm = await timed(() => build(out, { folder, builder, history }));
  incremental.push(warm.ms);
  written = warm.done.written;
  cold.push((await timed(() => build(join(scratch, 'full-1')))).ms);
}
const unchanged = (await timed(() => build(out, { folder, builder, history }))).ms;
await build(join(scratch, 'anew'));
for (const path of Object.keys(JSON.parse(readFileSync(join(out, '.site.json'), 'utf8')))) {
  if (readFileSync(join(out, path), 'utf8') !== readFileSync(join(scratch, 'anew', path), 'utf8')) {
    throw new Error(`${path} is not what a copy from nothing has`);
  }
}
rmSync(scratch, { recursive: true, force: true });

const line = (name: string, times: readonly number[], pages: number | string) =>
  process.stdout.write(`| ${name} | ${median(times).toFixed(0)} | ${Math.max(...times).toFixed(0)} | ${pages} |\n`);
process.stdout.write(
  `300 artefacts, 6 languages; ${availableParallelism()} cores, load ${loadavg()[0]?.toFixed(1)}\n\n`,
);
process.stdout.write('| what | ms, median | ms, most | pages written |\n|---|--:|--:|--:|\n');
line('from nothing', full, first?.written ?? 0);
line('after one change, same process', incremental, written);
line('after one change, nothing kept in memory', cold, written);
line('nothing changed', [unchanged], 0);

interface Kept {
  readonly folder: CorpusFolder;
  readonly builder: CorpusBuilder;
  readonly history: GitHistory;
}

async function build(to: string, kept?: Kept): Promise<WrittenSite> {
  const files = await (kept?.folder ?? new CorpusFolder(dir)).read();
  const { corpus, errors } = (kept?.builder ?? new CorpusBuilder()).build(files, {
    generatedAt: () => '2026-10-01T00:00:00.000Z',
  });
  if (!corpus) throw new Error(JSON.stringify(errors.slice(0, 3)));
  const site: SiteSource = {
    corpus,
    history: await (kept?.history ?? new GitHistory(dir, { isKept: true })).read(),
    health: allHealthy,
    linkState: () => 'unchecked',
    providers: () => [],
    pages: new Map(),
    name: 'Benchmark',
    baseUrl: 'https://civic.example.org',
    isLive: false,
    program: 'bench',
  };
  return writeSite(to, site);
}

async function timed<T>(work: () => Promise<T>): Promise<{ ms: number; done: T }> {
  const started = performance.now();
  const done = await work();
  return { ms: performance.now() - started, done };
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] as number;
}
