import { fixedLog2 } from './fixed-log.ts';
import { MEASURES } from './index-input.ts';
import { commonIn, LANGUAGES, stemOf } from './languages.ts';
import { type Counts, packedCounts } from './packed-counts.ts';
import type { SearchIndex, TermPostings } from './search-index.ts';
import { FIELDS, SEARCH } from './search-settings.ts';
import { queryWords } from './search-terms.ts';

/** A word of a query, and where its stems stand: one list for each language, and no chunk in two of them. */
export interface QueryTerm {
  readonly term: string;
  readonly chunksWithTerm: number;
  readonly lists: readonly TermPostings[];
}

export interface Ranking {
  readonly terms: readonly QueryTerm[];
  /** Chunks with at least one of the terms, in no order. */
  readonly chunks: Uint32Array;
  /** By chunk. */
  readonly scores: Float64Array;
}

/**
 * Scores every chunk that has a word of the query. `use` sees the ranking while it is good: its memory serves the next query.
 */
export function rankChunks<T>(index: SearchIndex, query: string, use: (ranking: Ranking) => T): T {
  const terms = queryTerms(index, query);
  const scores = index.scores();
  const found = new Uint32Array(
    Math.min(
      index.chunkCount,
      terms.reduce((sum, term) => sum + term.chunksWithTerm, 0),
    ),
  );
  let length = 0;
  for (const term of terms) {
    const scoreOf = termScorer(index, term.chunksWithTerm);
    for (const { chunks, counts } of term.lists) {
      for (let place = 0; place < chunks.length; place++) {
        const chunk = chunks[place] as number;
        if (scores[chunk] === 0) found[length++] = chunk;
        scores[chunk] = (scores[chunk] as number) + scoreOf(chunk, counts[place] as number);
      }
    }
  }
  const ranked = found.subarray(0, length);
  try {
    return use({ terms, chunks: ranked, scores });
  } finally {
    for (const chunk of ranked) scores[chunk] = 0;
  }
}

/** What a term that stands in so many chunks adds to the score of one of them, by its packed counts. */
export function termScorer(index: SearchIndex, chunksWithTerm: number): (chunk: number, packed: number) => number {
  const { measures } = index;
  const means = index.meanLengths();
  const rarity = rarityOf(index.chunkCount, chunksWithTerm);
  const { saturation, fields } = SEARCH;
  const [heading, path, body] = FIELDS.map((field, place) => {
    const { weight, lengthShare } = fields[field];
    const mean = means[place] as number;
    return (count: number, words: number) => (weight * count) / (1 - lengthShare + lengthShare * (words / mean));
  }) as [FieldWeight, FieldWeight, FieldWeight];
  return (chunk, packed) => {
    const at = chunk * MEASURES;
    let weight = 0;
    if (packed > 0xffff) {
      const counts = packedCounts(packed);
      if (counts.heading > 0) weight += heading(counts.heading, measures[at] as number);
      if (counts.path > 0) weight += path(counts.path, measures[at + 1] as number);
    }
    const inBody = packed & 0xffff;
    if (inBody > 0) weight += body(inBody, measures[at + 2] as number);
    return rarity * (weight / (saturation + weight));
  };
}

type FieldWeight = (count: number, words: number) => number;

/** How much a term tells: the logarithm of the share of chunks that have it, always above 0. */
function rarityOf(chunks: number, withTerm: number): number {
  return (fixedLog2(2 * chunks + 2) - fixedLog2(2 * withTerm + 1)) / 65_536;
}

/** The words of a query that the index knows. Common words of its languages are left out where there are others. */
function queryTerms(index: SearchIndex, query: string): QueryTerm[] {
  const words = [...new Set(queryWords(query))];
  const telling = words.filter((word) => (commonIn(word) & index.languages) === 0);
  const seen = new Set<string>();
  const terms: QueryTerm[] = [];
  for (const word of telling.length > 0 ? telling : words) {
    const lists: TermPostings[] = [];
    LANGUAGES.forEach((language, number) => {
      const key = termKey(number, stemOf(word, language));
      if ((index.languages & (1 << number)) === 0 || seen.has(key)) return;
      seen.add(key);
      const postings = index.postings(key);
      if (postings) lists.push(postings);
    });
    const chunksWithTerm = lists.reduce((sum, { chunks }) => sum + chunks.length, 0);
    if (chunksWithTerm > 0) terms.push({ term: word, chunksWithTerm, lists });
  }
  return terms;
}

/** A stem in the dictionary of the index: the same letters mean something else in another language. */
export function termKey(language: number, stem: string): string {
  return `${language}${stem}`;
}

/** How often a chunk has a term; undefined where it has none. */
export function countsIn({ lists }: QueryTerm, chunk: number): { counts: Counts; packed: number } | undefined {
  for (const { chunks, counts } of lists) {
    const place = placeOf(chunks, chunk);
    if (place !== undefined) return { counts: packedCounts(counts[place] as number), packed: counts[place] as number };
  }
  return undefined;
}

function placeOf(sorted: Uint32Array, number: number): number | undefined {
  let low = 0;
  let high = sorted.length - 1;
  while (low <= high) {
    const middle = (low + high) >>> 1;
    const found = sorted[middle] as number;
    if (found === number) return middle;
    if (found < number) low = middle + 1;
    else high = middle - 1;
  }
  return undefined;
}
