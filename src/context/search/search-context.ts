import type { OpenCache } from '../resolve-context.ts';
import { countTokens } from '../tokens.ts';
import { fixedLog2 } from './fixed-log.ts';
import { type Counts, SearchIndex } from './search-index.ts';
import type { SearchResult } from './search-result.ts';
import { FIELDS, SEARCH } from './search-settings.ts';
import { searchTerms } from './search-terms.ts';

type Found = SearchResult['chunks'][number];
type Reason = Found['why'][number];

const indexes = new WeakMap<OpenCache, SearchIndex>();

/** The parts of documents that answer a query best by BM25F, within a token budget, with the reasons for each. */
export async function searchContext(
  cache: OpenCache,
  query: string,
  budget: number,
  signal: AbortSignal,
): Promise<SearchResult> {
  const index = await indexOf(cache, signal);
  const ranked = rank(index, [...new Set(searchTerms(query))]);
  const chosen: Ranked[] = [];
  let used = 0;
  for (const candidate of ranked) {
    if (budget === 0 || used + candidate.tokens > budget) continue;
    used += candidate.tokens;
    chosen.push(candidate);
  }
  return {
    chunks: await readChunks(cache, index, chosen, signal),
    selection: {
      query,
      budget,
      tokens_used: used,
      chunks_considered: ranked.length,
      chunks_selected: chosen.length,
      chunks_excluded_by_budget: ranked.length - chosen.length,
    },
  };
}

/** The index of a cache. A call that ends before it is whole leaves what it read to the next one: a large cache takes longer than a call may. */
async function indexOf(cache: OpenCache, signal: AbortSignal): Promise<SearchIndex> {
  const index = indexes.get(cache) ?? new SearchIndex();
  indexes.set(cache, index);
  const missing = function* () {
    while (index.documentCount < cache.table.count) yield index.documentCount;
  };
  await cache.readDocuments(
    missing(),
    (document, place) => {
      // Another call may have added it while this one let others have a turn.
      if (place === index.documentCount) index.add(document);
    },
    signal,
  );
  return index;
}

interface Ranked {
  readonly chunk: number;
  readonly score: number;
  readonly tokens: number;
  readonly why: readonly Reason[];
}

/** Chunks with at least one of the terms: by score descending, then id, then place. */
function rank(index: SearchIndex, terms: readonly string[]): Ranked[] {
  const reasons = new Map<number, Reason[]>();
  for (const term of terms) {
    const postings = index.postings(term);
    const rarity = rarityOf(index.chunks.length, postings.length);
    for (const { chunk, counts } of postings) {
      const reason = {
        term,
        ...counts,
        chunks_with_term: postings.length,
        score: rarity * saturated(index, chunk, counts),
      };
      const others = reasons.get(chunk);
      if (others) others.push(reason);
      else reasons.set(chunk, [reason]);
    }
  }
  // Chunks are numbered by id and place, so the lower number wins a tie.
  return [...reasons]
    .map(([chunk, why]) => ({
      chunk,
      why,
      score: why.reduce((sum, { score }) => sum + score, 0),
      tokens: tokensOf(index, chunk),
    }))
    .sort((left, right) => right.score - left.score || left.chunk - right.chunk);
}

/** How much a term tells: the logarithm of the share of chunks that have it, never below 0. */
function rarityOf(chunks: number, withTerm: number): number {
  return (fixedLog2(2 * chunks + 2) - fixedLog2(2 * withTerm + 1)) / 65_536;
}

/** Occurrences weighted by field and by its length; each further one adds less. */
function saturated(index: SearchIndex, chunk: number, counts: Counts): number {
  const lengths = index.chunks[chunk]?.lengths as Counts;
  let weight = 0;
  for (const field of FIELDS) {
    const { weight: fieldWeight, lengthShare } = SEARCH.fields[field];
    const norm = 1 - lengthShare + lengthShare * (lengths[field] / index.meanLength(field));
    if (counts[field] > 0) weight += (fieldWeight * counts[field]) / norm;
  }
  return weight / (SEARCH.saturation + weight);
}

function tokensOf(index: SearchIndex, chunk: number): number {
  const { start = 0, end = 0 } = index.chunks[chunk] ?? {};
  return countTokens(end - start);
}

async function readChunks(
  cache: OpenCache,
  index: SearchIndex,
  chosen: readonly Ranked[],
  signal: AbortSignal,
): Promise<Found[]> {
  const documents = chosen.map(({ chunk }) => index.chunks[chunk]?.document as number);
  const found: Found[] = [];
  await cache.readDocuments(
    documents,
    ({ id, version, content }) => {
      const { chunk, score, tokens, why } = chosen[found.length] as Ranked;
      const { start, end, headings } = index.chunks[chunk] as (typeof index.chunks)[number];
      const text = Buffer.from(content).toString('utf8', start, end);
      const shown = why.map((reason) => ({ ...reason, score: shortened(reason.score) }));
      found.push({
        id,
        version,
        start,
        end,
        headings: [...headings],
        text,
        score: shortened(score),
        tokens,
        why: shown,
      });
    },
    signal,
  );
  return found;
}

/** Four digits after the point: enough to compare, and no noise. */
function shortened(score: number): number {
  return Math.round(score * 10_000) / 10_000;
}
