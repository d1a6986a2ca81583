import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { SEARCH_LIMITS } from '../../gateway/search/limits.ts';
import { SearchStore } from './search-store.ts';

const folder = mkdtempSync(join(tmpdir(), 'bindery-search-'));
afterAll(() => rmSync(folder, { recursive: true }));

test('vectors survive a restart, by their keys', async () => {
  const file = join(folder, 'vectors.db');
  const first = new SearchStore(file);
  await first.put(
    new Map([
      ['a', Int8Array.of(1, -2, 127)],
      ['b', Int8Array.of(-127)],
    ]),
  );
  await first.put(new Map([['b', Int8Array.of(5)]]));
  first.close();
  const second = new SearchStore(file);
  expect(await second.get(['a', 'b', 'c'])).toEqual(
    new Map([
      ['a', Int8Array.of(1, -2, 127)],
      ['b', Int8Array.of(5)],
    ]),
  );
  second.close();
});

test('the number of vectors is bounded: the longest unwanted go first, in one process too', async () => {
  const clock = { now: () => 20_000 * 86_400_000 };
  const store = new SearchStore(join(folder, 'bounded.db'), clock);
  const put = (name: string, count: number) =>
    store.put(new Map(Array.from({ length: count }, (_, at) => [`${name} ${at}`, Int8Array.of(1)])));
  await put('old', 600);
  clock.now = () => 20_001 * 86_400_000;
  await store.keep(['old 7']);
  await put('new', SEARCH_LIMITS.vectorsMax);
  const kept = await store.get(['old 0', 'old 7', 'old 599', 'new 1']);
  expect([store.vectors, [...kept.keys()]]).toEqual([SEARCH_LIMITS.vectorsMax, ['old 7', 'new 1']]);
  store.close();
});

test('the past queries of all tools together are bounded', () => {
  const store = new SearchStore(join(folder, 'many.db'));
  store.learn(
    Array.from({ length: SEARCH_LIMITS.learnedQueriesMax + 10 }, (_, at) => ({
      server: 's',
      tool: `t${at}`,
      query: 'q',
    })),
  );
  const learned = store.learned();
  expect([learned.length, learned.at(-1)?.tool]).toEqual([SEARCH_LIMITS.learnedQueriesMax, 't10']);
  store.close();
});

test('the past queries of a tool are distinct, newest first, bounded, and survive a restart', () => {
  const file = join(folder, 'learned.db');
  const first = new SearchStore(file);
  const max = SEARCH_LIMITS.learnedQueriesPerToolMax;
  first.learn(Array.from({ length: max + 5 }, (_, at) => ({ server: 's', tool: 'a', query: `query ${at}` })));
  first.learn([
    { server: 's', tool: 'b', query: 'other' },
    { server: 's', tool: 'a', query: 'query 10' },
  ]);
  first.close();
  const second = new SearchStore(file);
  const expected = [10, ...Array.from({ length: max + 5 }, (_, at) => max + 4 - at).filter((at) => at !== 10)];
  expect(second.learned().map(({ tool, query }) => `${tool} ${query}`)).toEqual([
    'a query 10',
    'b other',
    ...expected.slice(1, max).map((at) => `a query ${at}`),
  ]);
  second.close();
});

test('what is forgotten leaves no bytes in the folder', async () => {
  const own = mkdtempSync(join(folder, 'forget-'));
  const file = join(own, 'search.db');
  const store = new SearchStore(file);
  const bytes = () => Buffer.concat(readdirSync(own).map((name) => readFileSync(join(own, name))));
  store.learn([{ server: 's', tool: 'a', query: 'my private illness' }]);
  await store.put(
    new Map([
      ['of-the-query', new Int8Array(64).fill(77)],
      ['of-a-tool', Int8Array.of(1)],
    ]),
  );
  const before = [bytes().includes('my private illness'), bytes().includes(Buffer.alloc(64, 77))];
  store.forget(['of-the-query']);
  expect([
    before,
    bytes().includes('my private illness'),
    bytes().includes(Buffer.alloc(64, 77)),
    store.learned(),
    await store.get(['of-the-query', 'of-a-tool']),
  ]).toEqual([[true, true], false, false, [], new Map([['of-a-tool', Int8Array.of(1)]])]);
  store.close();
});

test('the file is its owner’s alone', () => {
  const file = join(folder, 'private.db');
  new SearchStore(file).close();
  expect(statSync(file).mode & 0o777).toBe(0o600);
});
