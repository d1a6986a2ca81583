import { DatabaseSync } from 'node:sqlite';
import MiniSearch from 'minisearch';
import { resolveContext } from '../../src/context/resolve-context.ts';
import { searchContext } from '../../src/context/search/search-context.ts';
import { splitChunks } from '../../src/context/search/split-chunks.ts';
import { countTokens } from '../../src/context/tokens.ts';
import { createCaches } from '../../src/store/context/caches.ts';
import { cachesByPath } from '../../src/store/context/locate-cache.ts';

/** Tokens that an answer may have. */
export const TOKENS = 2_000;

/** How many ranks are compared. */
const RANKED = 100;

export interface FoundPages {
  /** Each page once, the best first. */
  readonly ranked: readonly string[];
  /** The pages with a part in an answer of `TOKENS` tokens. */
  readonly fitting: ReadonlySet<string>;
}

export interface Way {
  readonly name: string;
  find(question: string): Promise<FoundPages> | FoundPages;
}

/** A page, or a section of one. */
interface Passage {
  readonly number: number;
  readonly page: string;
  readonly headings: string;
  readonly text: string;
}

/** Every way to find pages of a cache. */
export async function openWays(cache: string): Promise<{ ways: Way[]; sections: number }> {
  const caches = createCaches(cachesByPath());
  const signal = new AbortController().signal;
  const pages: Passage[] = [];
  const sections: Passage[] = [];
  await caches.read(cache, (open) =>
    open.readDocuments(
      Array(open.table.count).keys(),
      ({ id, content }) => {
        pages.push({ number: pages.length, page: id, headings: '', text: content });
        for (const { headings, text } of splitChunks(content))
          sections.push({ number: sections.length, page: id, headings: headings.join('\n'), text });
      },
      signal,
    ),
  );
  const search = (question: string, budget: number) =>
    caches.read(cache, (open) => searchContext(open, question, budget, signal));
  const resolve = (question: string, budget: number) =>
    caches.read(cache, (open) => resolveContext(open, question, budget, signal));
  const ways: Way[] = [
    {
      name: 'context.search',
      find: async (question) => ({
        ranked: unique((await search(question, 100_000)).chunks.map(({ id }) => id)),
        fitting: new Set((await search(question, TOKENS)).chunks.map(({ id }) => id)),
      }),
    },
    {
      name: 'context.resolve',
      find: async (question) => ({
        ranked: unique((await resolve(question, 1_000_000)).documents.map(({ id }) => id)),
        fitting: new Set((await resolve(question, TOKENS)).documents.map(({ id }) => id)),
      }),
    },
    fts5('SQLite FTS5, sections', sections),
    fts5('SQLite FTS5, pages', pages),
    miniSearch('MiniSearch, sections', sections),
    miniSearch('MiniSearch, pages', pages),
  ];
  return { ways, sections: sections.length };
}

/** With stems (Porter) and without accents; headings and paths have our weights. */
function fts5(name: string, passages: readonly Passage[]): Way {
  const database = new DatabaseSync(':memory:');
  database.exec(
    "CREATE VIRTUAL TABLE passage USING fts5(headings, path, body, tokenize = 'porter unicode61 remove_diacritics 2'); BEGIN",
  );
  const insert = database.prepare('INSERT INTO passage (rowid, headings, path, body) VALUES (?, ?, ?, ?)');
  for (const { number, headings, page, text } of passages) insert.run(number + 1, headings, page, text);
  database.exec('COMMIT');
  const select = database.prepare(
    'SELECT rowid FROM passage WHERE passage MATCH ? ORDER BY bm25(passage, 3, 2, 1) LIMIT 2000',
  );
  return {
    name,
    find: (question) => {
      const words = question.match(/[\p{L}\p{N}]+/gu) ?? [];
      const rows = select.all(words.map((word) => `"${word}"`).join(' OR '));
      return packed(rows.map(({ rowid }) => passages[Number(rowid) - 1] as Passage));
    },
  };
}

/** Used as its documentation shows; headings and paths have our weights. */
function miniSearch(name: string, passages: readonly Passage[]): Way {
  const index = new MiniSearch<Passage>({
    idField: 'number',
    fields: ['headings', 'page', 'text'],
    searchOptions: { boost: { headings: 3, page: 2 } },
  });
  index.addAll(passages);
  return {
    name,
    find: (question) => packed(index.search(question).map(({ id }) => passages[id as number] as Passage)),
  };
}

/** The passages that fit the tokens, taken in order. */
function packed(passages: readonly Passage[]): FoundPages {
  const fitting = new Set<string>();
  let left = TOKENS;
  for (const { page, text } of passages) {
    const tokens = countTokens(Buffer.byteLength(text));
    if (tokens > left) continue;
    left -= tokens;
    fitting.add(page);
  }
  return { ranked: unique(passages.map(({ page }) => page)), fitting };
}

function unique(pages: readonly string[]): string[] {
  return [...new Set(pages)].slice(0, RANKED);
}
