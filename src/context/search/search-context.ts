import type { OpenCache } from '../resolve-context.ts';
import { countTokens } from '../tokens.ts';
import { countsIn, type Ranking, rankChunks } from './rank-chunks.ts';
import type { IndexedChunk, SearchIndex } from './search-index.ts';
import type { SearchResult } from './search-result.ts';
import { selectChunks } from './select-chunks.ts';

type Found = SearchResult['chunks'][number];
type Reason = Found['why'][number];

/** The parts of documents that answer a query best by BM25F, within a token budget, with the reasons for each. */
export async function searchContext(
  cache: OpenCache,
  query: string,
  budget: number,
  signal: AbortSignal,
): Promise<SearchResult> {
  const { considered, chosen } = await cache.search((index) => choose(index, query, budget), signal);
  const chunks: Found[] = [];
  await cache.readDocuments(
    chosen.map(({ document }) => document),
    ({ id, version, content }) => {
      const { start, end, headings, score, why } = chosen[chunks.length] as Chosen;
      const text = Buffer.from(content).toString('utf8', start, end);
      chunks.push({ id, version, start, end, headings, text, score, tokens: countTokens(end - start), why });
    },
    signal,
  );
  return {
    chunks,
    selection: {
      query,
      budget,
      tokens_used: chunks.reduce((sum, { tokens }) => sum + tokens, 0),
      chunks_considered: considered,
      chunks_selected: chunks.length,
      chunks_excluded_by_budget: considered - chunks.length,
    },
  };
}

interface Chosen extends IndexedChunk {
  readonly score: number;
  readonly why: Reason[];
}

function choose(index: SearchIndex, query: string, budget: number): { considered: number; chosen: Chosen[] } {
  return rankChunks(index, query, (ranking) => ({
    considered: ranking.chunks.length,
    chosen: selectChunks(ranking, index.measures, budget).map((chunk) => ({
      ...index.chunk(chunk),
      score: shortened(ranking.scores[chunk] as number),
      why: reasonsFor(ranking, chunk),
    })),
  }));
}

function reasonsFor({ terms, scoreOf }: Ranking, chunk: number): Reason[] {
  return terms.flatMap((term) => {
    const found = countsIn(term, chunk);
    if (!found) return [];
    const score = shortened(scoreOf(term, chunk, found.packed));
    return { term: term.term, ...found.counts, chunks_with_term: term.chunksWithTerm, score };
  });
}

/** Rounds to four digits after the point, which is enough to compare. */
function shortened(score: number): number {
  return Math.round(score * 10_000) / 10_000;
}
