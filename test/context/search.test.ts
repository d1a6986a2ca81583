import { copyFileSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { CONTEXT_LIMITS } from '../../src/context/limits.ts';
import { contextRoom, contextRoomWithSearch } from '../../src/context/operations.ts';
import { searchContext } from '../../src/context/search/search-context.ts';
import type { SearchResult } from '../../src/context/search/search-result.ts';
import { openCacheFolder, readDocument } from '../../src/store/context/open-cache.ts';
import { SearchBuilder } from '../../src/store/context/search-builder.ts';
import { SearchCounter } from '../../src/store/context/search-counter.ts';
import { buildFrom, inFolder, snapshot } from '../../src/store/context/testing/folders.ts';
import { naiveSearch } from '../naive/context-search.ts';
import { documentationSet } from '../support/realistic/documentation-set.ts';
import { runContext } from './run.ts';

const WORDS = [
  'alpha',
  'Beta',
  'gammas',
  'delta.',
  'déployée',
  'the and of',
  'le les des',
  '漢字',
  '# Alpha',
  '## Betas',
  '\n',
  '\n\n',
];
const anyPages = fc.uniqueArray(
  fc.record({
    name: fc.constantFrom('alpha.md', 'b/beta.md', 'c.md', 'd.md', 'e.md'),
    content: fc
      .array(fc.constantFrom(...WORDS), { maxLength: 20 })
      .map((words) => words.join(' ').replaceAll(' #', '\n#')),
  }),
  { selector: ({ name }) => name },
);

async function search(cache: string, query: string, budget: number): Promise<SearchResult> {
  const { stdout } = await runContext(
    'search',
    '--cache',
    cache,
    `--query=${query}`,
    '--budget',
    String(budget),
    '--json',
  );
  return JSON.parse(stdout);
}

test('[context:Z10b] any search finds the chunks that the formula finds, in order of score, within the budget', async () => {
  await fc.assert(
    fc.asyncProperty(
      anyPages,
      fc.constantFrom('alpha', 'beta the gamma', 'delta deltas', 'nothing', '', 'the', 'deployer 漢字', '字'),
      fc.nat(60),
      (pages, query, budget) =>
        inFolder(async (folder) => {
          const cache = await buildFrom(folder, Object.fromEntries(pages.map(({ name, content }) => [name, content])));
          const all = await search(cache, query, 100_000);
          const documents = pages
            .map(({ name, content }) => ({ id: name, content }))
            .sort((left, right) => (left.id < right.id ? -1 : 1));
          const hits = naiveSearch(documents, query, 100_000);
          const expected = new Map(hits.map(({ id, start, score }) => [`${id}:${start}`, score]));
          const found = new Map(all.chunks.map(({ id, start, score }) => [`${id}:${start}`, score]));
          expect([...found.keys()].sort()).toEqual([...expected.keys()].sort());
          for (const [at, score] of found) expect(Math.abs(score - (expected.get(at) as number))).toBeLessThan(0.001);
          const scores = all.chunks.map(({ score }) => score);
          expect(scores).toEqual([...scores].sort((left, right) => right - left));
          const some = await search(cache, query, budget);
          let used = 0;
          const fitting = all.chunks.filter(({ tokens }) => {
            if (budget === 0 || used + tokens > budget) return false;
            used += tokens;
            return true;
          });
          expect([some.chunks, some.selection.tokens_used]).toEqual([fitting, used]);
        }),
    ),
    { numRuns: 30 },
  );
});

test('[context:Z10b] an answer names bytes, headings and reasons, and is the same every time', () =>
  inFolder(async (folder) => {
    const cache = await buildFrom(folder, {
      'guide.md': '# Set up\n\nété\n\n## Approve calls\n\nA person approves.\n',
      'x.md': 'x',
    });
    const first = await search(cache, 'Approve!', 100);
    expect(
      first.chunks.map(({ id, start, end, headings, text, why }) => ({
        id,
        start,
        end,
        headings,
        text,
        why: why.length,
      })),
    ).toEqual([
      {
        id: 'guide.md',
        start: 17,
        end: 54,
        headings: ['Set up', 'Approve calls'],
        text: '## Approve calls\n\nA person approves.\n',
        why: 1,
      },
    ]);
    expect(await search(cache, 'Approve!', 100)).toEqual(first);
    expect(
      (await runContext('search', '--cache', join(folder, 'none'), '--query', 'x', '--budget', '1')).exitCode,
    ).toBe(4);
  }));

test('[context:Z10b] [context:M4] search is a tool only for who asks for it', () => {
  const tools = (room: typeof contextRoom) => room.operations.flatMap(({ mcp }) => (mcp ? [mcp.tool] : []));
  expect(tools(contextRoom)).toEqual(['context.resolve', 'context.inspect_cache', 'context.list_caches']);
  expect(tools(contextRoomWithSearch)).toEqual(['context.search', ...tools(contextRoom)]);
});

test('[context:Z10b] a cache without an index gives the same answers, and a search that ends early leaves the index to the next', () =>
  inFolder(async (folder) => {
    const pages = documentationSet(9, 200);
    const path = await buildFrom(folder, Object.fromEntries(pages.map(({ path, content }) => [path, content])));
    const signal = new AbortController().signal;
    const whole = await searchContext(openCacheFolder(path), 'server config', 4_000, signal);
    rmSync(join(path, 'search.bin'));
    const before = snapshot(path);
    const cache = openCacheFolder(path);
    const ended = new AbortController();
    const first = searchContext(cache, 'server config', 4_000, ended.signal);
    ended.abort();
    await expect(first).rejects.toThrow();
    const both = await Promise.all([1, 2].map(() => searchContext(cache, 'server config', 4_000, signal)));
    expect(both).toEqual([whole, whole]);
    // Reading changes no cache.
    expect(snapshot(path)).toEqual(before);
  }));

test('[context:Z10b] an index with any byte changed, cut off or of another cache is refused or gives the same answer', () =>
  inFolder(async (folder) => {
    const pages = documentationSet(4, 30);
    const path = await buildFrom(folder, Object.fromEntries(pages.map(({ path, content }) => [path, content])));
    const file = join(path, 'search.bin');
    const whole = readFileSync(file);
    const ask = () => searchContext(openCacheFolder(path), 'server config', 4_000, new AbortController().signal);
    const answer = await ask();
    const damaged = { code: 'cache_invalid', detail: expect.stringContaining('search index') };
    let refused = 0;
    for (let place = 0; place < whole.length; place += Math.ceil(whole.length / 40)) {
      const bytes = Buffer.from(whole);
      bytes[place] = (bytes[place] as number) ^ 0x55;
      writeFileSync(file, bytes);
      const outcome = await ask().catch((thrown) => thrown);
      if (outcome instanceof Error) expect(outcome).toMatchObject(damaged);
      else expect(outcome).toEqual(answer);
      if (outcome instanceof Error) refused += 1;
    }
    expect(refused).toBeGreaterThan(0);
    for (const length of [0, 7, 255, 256, Math.floor(whole.length / 2), whole.length - 1]) {
      writeFileSync(file, whole.subarray(0, length));
      await expect(ask()).rejects.toMatchObject(damaged);
    }
    writeFileSync(file, Buffer.concat([whole, Buffer.from('x')]));
    await expect(ask()).rejects.toMatchObject(damaged);
    const other = await buildFrom(join(folder, 'other'), { 'a.md': 'server config' });
    copyFileSync(join(other, 'search.bin'), file);
    await expect(ask()).rejects.toMatchObject(damaged);
    // One of another version of the format is as good as none.
    writeFileSync(file, Buffer.concat([Buffer.from('bndsrch9'), whole.subarray(8)]));
    expect(await ask()).toEqual(answer);
    rmSync(file);
    symlinkSync(join(other, 'search.bin'), file);
    await expect(ask()).rejects.toMatchObject(damaged);
  }));

test('[context:Z10b] equal sources give an index of equal bytes, on one thread and on several', () =>
  inFolder(async (folder) => {
    const pages = Object.fromEntries(
      documentationSet(5, CONTEXT_LIMITS.buildInlineMax + 80).map(({ path, content }) => [path, content.slice(0, 700)]),
    );
    const path = await buildFrom(folder, pages);
    const indexed = readFileSync(join(path, 'search.bin'));
    const index = await openCacheFolder(path).search((found) => found, new AbortController().signal);
    expect(index.chunkCount).toBeGreaterThan(CONTEXT_LIMITS.buildInlineMax);
    const counter = new SearchCounter();
    const { table } = openCacheFolder(path);
    for (let place = 0; place < table.count; place++) {
      const { id, content } = readDocument(path, table, place);
      counter.add(id, content, Buffer.from(content));
    }
    const builder = new SearchBuilder();
    builder.add(counter.take(), 0, 0);
    expect(indexed.equals(builder.build(table.cacheVersion(), table.count))).toBe(true);
  }));
