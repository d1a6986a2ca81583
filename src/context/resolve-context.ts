import type { ContextDocument } from './document.ts';
import type { DocumentTable } from './document-table.ts';
import type { Postings } from './postings.ts';
import { scoreOf } from './score.ts';
import type { SearchIndex } from './search/search-index.ts';
import { type Measures, selectDocuments } from './select-documents.ts';
import type { SelectionResult } from './selection-result.ts';
import { splitTerms } from './terms.ts';
import { countTokens } from './tokens.ts';

/** A cache whose manifest was verified. */
export interface OpenCache {
  readonly cacheVersion: string;
  readonly table: DocumentTable;
  /** Opened on first use. Undefined if the cache has none: then every document is read. */
  readonly postings: Postings | undefined;
  /** Runs `use` on the search index of the cache. If it has none, the first search builds one in memory. */
  search<T>(use: (index: SearchIndex) => T, signal: AbortSignal): Promise<T>;
  /** Verifies each of these documents and passes it to `use`, in this order. */
  readDocuments(
    indices: Iterable<number>,
    use: (document: ContextDocument, index: number) => void,
    signal: AbortSignal,
  ): Promise<void>;
}

/** The documents of a cache that fit a budget, best first, with the reasons for each. */
export async function resolveContext(
  cache: OpenCache,
  query: string,
  budget: number,
  signal: AbortSignal,
): Promise<SelectionResult> {
  const queryTerms = splitTerms(query);
  const measures = cache.postings
    ? measureByPostings(cache.postings, new Set(queryTerms))
    : await measureByReading(cache, new Set(queryTerms), signal);
  const selected = selectDocuments(measures, budget);
  const documents: SelectionResult['documents'] = [];
  let tokensUsed = 0;
  await cache.readDocuments(
    selected,
    ({ id, version, content }, index) => {
      const termMatches = measures.matches[index] as number;
      const totalWords = measures.totalWords[index] as number;
      const tokens = measures.tokens[index] as number;
      tokensUsed += tokens;
      documents.push({
        id,
        version,
        content,
        score: scoreOf(termMatches, totalWords),
        tokens,
        why: { query_terms: queryTerms, term_matches: termMatches, total_words: totalWords },
      });
    },
    signal,
  );
  return {
    documents,
    selection: {
      query,
      budget,
      tokens_used: tokensUsed,
      documents_considered: cache.table.count,
      documents_selected: selected.length,
      documents_excluded_by_budget: cache.table.count - selected.length,
    },
  };
}

function measureByPostings(postings: Postings, terms: ReadonlySet<string>): Measures {
  const matches = new Uint32Array(postings.totalWords.length);
  for (const term of terms) postings.addMatches(term, matches);
  return { matches, totalWords: postings.totalWords, tokens: postings.tokens };
}

/** The slow path: computes the same numbers from the documents. */
async function measureByReading(cache: OpenCache, terms: ReadonlySet<string>, signal: AbortSignal): Promise<Measures> {
  const { count } = cache.table;
  const matches = new Uint32Array(count);
  const totalWords = new Uint32Array(count);
  const tokens = new Uint32Array(count);
  const measure = ({ content }: ContextDocument, index: number) => {
    const words = splitTerms(content);
    totalWords[index] = words.length;
    tokens[index] = countTokens(Buffer.byteLength(content));
    matches[index] = words.reduce((sum, word) => sum + (terms.has(word) ? 1 : 0), 0);
  };
  await cache.readDocuments(Array(count).keys(), measure, signal);
  return { matches, totalWords, tokens };
}
