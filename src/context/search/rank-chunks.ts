import { fixedLog2 } from './fixed-log.ts';
import { MEASURES } from './index-input.ts';
import { commonIn, LANGUAGES, stemOf } from './languages.ts';
import { BODY_COUNT_MAX, type Counts, packedCounts } from './packed-counts.ts';
import type { SearchIndex, TermPostings } from './search-index.ts';
import { FIELDS, type Field, SEARCH } from './search-settings.ts';
import { queryWords } from './search-terms.ts';

/** The indexes of the fields, which are also their indexes in the measures of a chunk. */
const HEADING = FIELDS.indexOf('heading');
const PATH = FIELDS.indexOf('path');
const BODY = FIELDS.indexOf('body');

/** A word of a query, and the chunks that contain its stems: one list for each language, and no chunk in two of them. */
export interface QueryTerm {
  readonly term: string;
  readonly chunksWithTerm: number;
  readonly lists: readonly TermPostings[];
  /** The weight of the word by its rarity. */
  readonly rarity: number;
}

export interface Ranking {
  readonly terms: readonly QueryTerm[];
  /** Chunks with at least one of the terms, in no order. */
  readonly chunks: Uint32Array;
  /** By chunk. */
  readonly scores: Float64Array;
  /** The part of a chunk's score that comes from a term with these packed counts. */
  scoreOf(term: QueryTerm, chunk: number, packed: number): number;
}

/**
 * Scores every chunk that has a word of the query. The ranking is valid only during `use`: the next query reuses its memory.
 */
export function rankChunks<T>(index: SearchIndex, query: string, use: (ranking: Ranking) => T): T {
  const terms = queryTerms(index, query);
  const scores = index.scores();
  const scorer = new ChunkScorer(index);
  const found = new Uint32Array(
    Math.min(
      index.chunkCount,
      terms.reduce((sum, term) => sum + term.chunksWithTerm, 0),
    ),
  );
  let length = 0;
  for (const { lists, rarity } of terms) {
    for (const list of lists) length = scorer.addScores(list, rarity, { scores, found, length });
  }
  const chunks = found.subarray(0, length);
  const scoreOf = ({ rarity }: QueryTerm, chunk: number, packed: number) => scorer.score(rarity, chunk, packed);
  try {
    return use({ terms, chunks, scores, scoreOf });
  } finally {
    for (let place = 0; place < chunks.length; place++) scores[chunks[place] as number] = 0;
  }
}

/** Chunks that were found so far: the first `length` of `found`, and the score of each. */
interface FoundChunks {
  readonly scores: Float64Array;
  readonly found: Uint32Array;
  readonly length: number;
}

/** Norms of lengths up to this are precomputed; nearly all chunks are shorter. */
const NORMS_KEPT = 512;

/** BM25F. The loop runs for each posting of a query, so its common case calls no other function. */
class ChunkScorer {
  readonly #measures: Uint16Array;
  readonly #means: readonly number[];
  readonly #bodyNorms: Float64Array;

  constructor(index: SearchIndex) {
    this.#measures = index.measures;
    this.#means = index.meanLengths();
    this.#bodyNorms = Float64Array.from({ length: NORMS_KEPT }, (_, words) => this.#norm(BODY, words));
  }

  /** Adds the score of a term to each chunk of a list; returns the number of chunks found so far. */
  addScores({ chunks, counts }: TermPostings, rarity: number, { scores, found, length }: FoundChunks): number {
    const measures = this.#measures;
    const norms = this.#bodyNorms;
    let next = length;
    for (let place = 0; place < chunks.length; place++) {
      const chunk = chunks[place] as number;
      const packed = counts[place] as number;
      const before = scores[chunk] as number;
      if (before === 0) found[next++] = chunk;
      const words = measures[chunk * MEASURES + BODY] as number;
      if (packed > BODY_COUNT_MAX || words >= NORMS_KEPT) scores[chunk] = before + this.score(rarity, chunk, packed);
      else {
        const weight = (SEARCH.fields.body.weight * packed) / (norms[words] as number);
        scores[chunk] = before + rarity * (weight / (SEARCH.saturation + weight));
      }
    }
    return next;
  }

  /** The score of a term for one chunk, by its packed counts. */
  score(rarity: number, chunk: number, packed: number): number {
    const { heading, path, body } = packedCounts(packed);
    let weight = 0;
    if (heading > 0) weight += this.#weight(HEADING, heading, chunk);
    if (path > 0) weight += this.#weight(PATH, path, chunk);
    if (body > 0) weight += this.#weight(BODY, body, chunk);
    return rarity * (weight / (SEARCH.saturation + weight));
  }

  #weight(place: number, count: number, chunk: number): number {
    const { weight } = SEARCH.fields[FIELDS[place] as Field];
    return (weight * count) / this.#norm(place, this.#measures[chunk * MEASURES + place] as number);
  }

  /** The length norm of a field with so many words: 1 for the mean length. */
  #norm(place: number, words: number): number {
    const { lengthShare } = SEARCH.fields[FIELDS[place] as Field];
    return 1 - lengthShare + lengthShare * (words / (this.#means[place] as number));
  }
}

/** The rarity of a term: a logarithm of the share of chunks that have it, always above 0. */
function rarityOf(chunks: number, withTerm: number): number {
  return (fixedLog2(2 * chunks + 2) - fixedLog2(2 * withTerm + 1)) / 65_536;
}

/** The words of a query that the index has. Common words of its languages are dropped if other words remain. */
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
    if (chunksWithTerm === 0) continue;
    terms.push({ term: word, chunksWithTerm, lists, rarity: rarityOf(index.chunkCount, chunksWithTerm) });
  }
  return terms;
}

/** The key of a stem in the dictionary of the index, with its language: equal letters differ in meaning between languages. */
export function termKey(language: number, stem: string): string {
  return `${language}${stem}`;
}

/** How often a chunk has a term; undefined if it has none. */
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
