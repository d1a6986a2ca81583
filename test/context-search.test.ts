import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { contextRoom, contextRoomWithSearch } from '../src/context/operations.ts';
import type { OpenCache } from '../src/context/resolve-context.ts';
import { searchContext } from '../src/context/search/search-context.ts';
import type { SearchResult } from '../src/context/search/search-result.ts';
import { splitChunks } from '../src/context/search/split-chunks.ts';
import { openCacheFolder } from '../src/store/context/open-cache.ts';
import { buildFrom, inFolder } from '../src/store/context/testing/folders.ts';
import { runContext } from './context-run.ts';
import { documentationSet } from './support/realistic/documentation-set.ts';

const WORDS = ['alpha', 'Beta', 'gamma', 'delta.', '# Alpha', '## Beta', '\n', '\n\n'];
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

/** BM25F written as its formula, over a plain list of chunks. */
function naiveSearch(pages: readonly { name: string; content: string }[], query: string) {
  const words = (text: string) =>
    text
      .toLowerCase()
      .split(/[^a-z]+/)
      .filter(Boolean);
  const chunks = [...pages]
    .sort((left, right) => (left.name < right.name ? -1 : 1))
    .flatMap(({ name, content }) =>
      splitChunks(content).map(({ start, text, headings }) => ({
        at: `${name}:${start}`,
        heading: words(headings.join(' ')),
        path: words(name),
        body: words(text),
      })),
    );
  const fields = [
    ['heading', 3, 0.5],
    ['path', 2, 0.3],
    ['body', 1, 0.75],
  ] as const;
  const mean = (field: 'heading' | 'path' | 'body') =>
    chunks.reduce((sum, chunk) => sum + chunk[field].length, 0) / chunks.length || 1;
  return chunks
    .map((chunk) => {
      let score = 0;
      for (const term of new Set(words(query))) {
        const having = chunks.filter((other) => fields.some(([field]) => other[field].includes(term))).length;
        let weight = 0;
        for (const [field, fieldWeight, share] of fields) {
          const count = chunk[field].filter((word) => word === term).length;
          weight += (fieldWeight * count) / (1 - share + share * (chunk[field].length / mean(field))) || 0;
        }
        score += Math.log2((2 * chunks.length + 2) / (2 * having + 1)) * (weight / (1.2 + weight));
      }
      return { at: chunk.at, score };
    })
    .filter(({ score }) => score > 0);
}

test('[context:Z10b] any search finds the chunks that the formula finds, in order of score, within the budget', async () => {
  await fc.assert(
    fc.asyncProperty(
      anyPages,
      fc.constantFrom('alpha', 'beta gamma', 'delta delta', 'nothing', ''),
      fc.nat(60),
      (pages, query, budget) =>
        inFolder(async (folder) => {
          const cache = await buildFrom(folder, Object.fromEntries(pages.map(({ name, content }) => [name, content])));
          const all = await search(cache, query, 100_000);
          const expected = new Map(naiveSearch(pages, query).map(({ at, score }) => [at, score]));
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
  expect(tools(contextRoomWithSearch)).toEqual([...tools(contextRoom), 'context.search']);
});

test('[context:Z10b] a search that is ended before the cache is read leaves what it read to the next one', () =>
  inFolder(async (folder) => {
    const pages = documentationSet(9, 200);
    const path = await buildFrom(folder, Object.fromEntries(pages.map(({ path, content }) => [path, content])));
    const whole = await searchContext(openCacheFolder(path), 'server config', 4_000, new AbortController().signal);
    const cache = openCacheFolder(path);
    let read = 0;
    const stopping = (documents: number) => {
      const controller = new AbortController();
      const { readDocuments } = cache;
      const open = Object.assign(cache, {
        readDocuments: ((indices, use, signal) =>
          readDocuments(
            indices,
            (document, index) => {
              use(document, index);
              read += 1;
              if (read % documents === 0) controller.abort();
            },
            signal,
          )) as OpenCache['readDocuments'],
      });
      return searchContext(open, 'server config', 4_000, controller.signal).finally(() =>
        Object.assign(cache, { readDocuments }),
      );
    };
    await expect(stopping(70)).rejects.toThrow();
    await expect(stopping(70)).rejects.toThrow();
    expect(read).toBe(140);
    // Two at once go on together, and neither adds what the other has added.
    const signal = new AbortController().signal;
    const both = await Promise.all([1, 2].map(() => searchContext(cache, 'server config', 4_000, signal)));
    expect(both).toEqual([whole, whole]);
  }));
