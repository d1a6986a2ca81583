// One way to answer queries, measured in a process of its own: `node context-ways.ts <way> <documents> <seed> <cache>`.
import { DatabaseSync } from 'node:sqlite';
import MiniSearch from 'minisearch';
import { resolveContext } from '../src/context/resolve-context.ts';
import { searchContext } from '../src/context/search/search-context.ts';
import { encodeSelection } from '../src/context/selection-result.ts';
import { createCaches } from '../src/store/context/caches.ts';
import { cachesByPath } from '../src/store/context/locate-cache.ts';
import { naiveResolve } from '../test/naive/context.ts';
import { isSameHits, naiveSearch } from '../test/naive/context-search.ts';
import { createCorpus, seededNumbers } from './context-corpus.ts';

type Percentiles = readonly [string, string, string];

/** What one process reports. */
export interface Measured {
  readonly name: string;
  readonly buildMs?: number;
  /** Time of the first query of the process, including the index. */
  readonly firstMs?: number;
  readonly common: Percentiles;
  readonly rare: Percentiles;
  readonly rssMb: number;
  /** Whether all compared answers had the same bytes. */
  readonly isSame: boolean;
}

interface Way {
  readonly name: string;
  readonly buildMs?: number;
  readonly queries: number;
  answer(terms: readonly string[]): unknown;
  isSame?(terms: readonly string[]): Promise<boolean>;
}

const BUDGET = 4000;
const RESULTS = 50;
const [, , wayName, documents, seed, cache] = process.argv as [string, string, string, string, string, string];
const corpus = () => createCorpus(Number(documents), Number(seed));
const ways: Readonly<Record<string, () => Way>> = { ours, search, searchInMemory, naive, fts5, minisearch };
const words = createCorpus(1, Number(seed)).words;
const way = (ways[wayName] as () => Way)();
process.stdout.write(JSON.stringify(await measure(way)));

async function measure(measured: Way): Promise<Measured> {
  const next = seededNumbers(7);
  const pick = (from: number, to: number) => words[from + Math.floor(next() * (to - from))] as string;
  const common = Array.from({ length: measured.queries }, () => [pick(0, 100), pick(0, 100), pick(0, 100)]);
  const rare = Array.from({ length: measured.queries }, () => [pick(10_000, 30_000)]);
  const started = performance.now();
  await measured.answer(common[0] as string[]);
  const firstMs = performance.now() - started;
  for (const terms of [...common.slice(0, 10), ...rare.slice(0, 10)]) await measured.answer(terms);
  const result = { common: await percentiles(measured, common), rare: await percentiles(measured, rare) };
  globalThis.gc?.();
  const rssMb = Math.round(process.memoryUsage().rss / 1e6);
  let isSame = true;
  for (const terms of [common[0], rare[0]]) isSame &&= (await measured.isSame?.(terms as string[])) ?? true;
  const { name, buildMs } = measured;
  return { name, ...(buildMs === undefined ? {} : { buildMs }), firstMs, ...result, rssMb, isSame };
}

async function percentiles(measured: Way, queries: readonly (readonly string[])[]): Promise<Percentiles> {
  const times: number[] = [];
  for (const terms of queries) {
    const started = performance.now();
    await measured.answer(terms);
    times.push(performance.now() - started);
  }
  times.sort((left, right) => left - right);
  const at = (share: number) =>
    (times[Math.min(times.length - 1, Math.floor(times.length * share))] as number).toFixed(2);
  return [at(0.5), at(0.95), at(0.99)];
}

/** A server that keeps the cache open. */
function ours(): Way {
  const caches = createCaches(cachesByPath());
  const signal = new AbortController().signal;
  const resolve = (terms: readonly string[], isSlow: boolean) =>
    caches.read(cache, async (open) =>
      encodeSelection(
        await resolveContext(isSlow ? { ...open, postings: undefined } : open, terms.join(' '), BUDGET, signal),
      ),
    );
  return {
    name: 'context.resolve',
    queries: 300,
    answer: (terms) => resolve(terms, false),
    isSame: async (terms) => {
      const fast = await resolve(terms, false);
      const naiveDocuments = corpus().documents.map(({ path, content }) => ({ id: path, content }));
      return fast === (await resolve(terms, true)) && fast === naiveResolve(naiveDocuments, terms.join(' '), BUDGET);
    },
  };
}

/** Search in a server that keeps the cache open, by the index in the cache. */
function search(): Way {
  return searching('context.search', cache);
}

/** The same for a cache without an index: it is built in memory, as every process did before caches had one. */
function searchInMemory(): Way {
  return searching('context.search, index made in memory', `${cache}-without-index`);
}

function searching(name: string, folder: string): Way {
  const caches = createCaches(cachesByPath());
  const { signal } = new AbortController();
  const find = (terms: readonly string[]) =>
    caches.read(folder, (open) => searchContext(open, terms.join(' '), BUDGET, signal));
  return {
    name,
    queries: 300,
    answer: find,
    isSame: async (terms) => {
      const naiveDocuments = corpus()
        .documents.map(({ path, content }) => ({ id: path, content }))
        .sort((left, right) => (left.id < right.id ? -1 : 1));
      return isSameHits((await find(terms)).chunks, naiveSearch(naiveDocuments, terms.join(' '), BUDGET));
    },
  };
}

/** All documents in memory, read from the first to the last for each query. */
function naive(): Way {
  const { documents: all } = corpus();
  return {
    name: 'naive scan in memory',
    queries: all.length > 20_000 ? 3 : 10,
    answer: (terms) => {
      const wanted = new Set(terms);
      return all
        .map(({ path, content }) => {
          const split = content.toLowerCase().split(/\s+/);
          return { path, score: split.filter((word) => wanted.has(word)).length / split.length };
        })
        .sort((left, right) => right.score - left.score)
        .slice(0, RESULTS);
    },
  };
}

function fts5(): Way {
  const { documents: all } = corpus();
  const database = new DatabaseSync(':memory:');
  const started = performance.now();
  database.exec('CREATE VIRTUAL TABLE page USING fts5(path UNINDEXED, content); BEGIN');
  const insert = database.prepare('INSERT INTO page VALUES (?, ?)');
  for (const { path, content } of all) insert.run(path, content);
  database.exec('COMMIT');
  const buildMs = performance.now() - started;
  const select = database.prepare(`SELECT path, content FROM page WHERE page MATCH ? ORDER BY rank LIMIT ${RESULTS}`);
  return { name: 'SQLite FTS5', buildMs, queries: 100, answer: (terms) => select.all(terms.join(' OR ')) };
}

function minisearch(): Way {
  const { documents: all } = corpus();
  const started = performance.now();
  const index = new MiniSearch({ fields: ['content'], idField: 'path' });
  index.addAll([...all]);
  const buildMs = performance.now() - started;
  return {
    name: 'MiniSearch',
    buildMs,
    queries: 30,
    answer: (terms) => index.search(terms.join(' ')).slice(0, RESULTS),
  };
}
