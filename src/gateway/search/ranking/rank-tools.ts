import { SEARCH_LIMITS } from '../limits.ts';
import type { SearchableTool } from '../searchable-tool.ts';
import { plainRequest, verbShare } from '../words/short-requests.ts';
import { isGram } from '../words/terms.ts';
import { analyseQuery } from './analyse-query.ts';
import { inverseDocumentFrequency } from './fixed-log.ts';
import { impliedQueries, withoutAddresses } from './intents.ts';
import { byCodeUnits, fullContribution, type QueryConcept, type ToolIndex } from './tool-index.ts';

/** The model's similarities between queries and tools, as integers, if they are available in time. */
export interface Semantics {
  similarities(query: string): ReadonlyMap<string, number> | undefined;
}

export interface RankOptions {
  readonly server?: string | undefined;
  readonly semantics?: Semantics | undefined;
}
export interface RankedTool {
  readonly tool: SearchableTool;
  readonly score: number;
}
export interface Ranking {
  readonly tools: readonly RankedTool[];
  /** Tools that match the queries in any way. */
  readonly matched: number;
  /** The concepts of the queries, for the reasons. */
  readonly concepts: readonly QueryConcept[];
}

/** The scale of scores. */
const ONE = 1_024;

/**
 * The weights of the merge, tuned on the development halves of the two sets (docs/search.md). The query's own words decide the first
 * place. After that, an implied need weighs about as much as the words, and less once it is served; further tools of the same server
 * rank lower.
 */
const WEIGHTS = {
  implied: 1_100,
  impliedAtFirst: 600,
  servedShare: 512,
  sameServer: 900,
  /** A sub-query counts fully if its best tool reaches this share (in tenths) of a perfect score. */
  expectedTenths: 7,
  /** Below this support, a sub-query has no suitable tool. */
  supportMin: 300,
  /** The weights of the first, second and third sub-query of a rule. */
  byPlace: [1_024, 870, 740],
  /** The model's share in the list of a query and of a sub-query, in tenths. */
  semanticTenths: 5,
  semanticImpliedTenths: 3,
  /** If no word matches, the closest tool must have this similarity (a quarter of 2^14); otherwise nothing is found. */
  similarityMin: 4_096,
};
/** Places that are filled one by one; the remaining ones are sorted by score. */
const PICKS = 12;

interface Candidate {
  readonly tool: SearchableTool;
  readonly own: number[];
  readonly implied: number[][];
}

/** Ranks the tools of an index for one or more queries, best first; deterministic. */
export function rankTools(index: ToolIndex, queries: readonly string[], options: RankOptions = {}): Ranking {
  const aspects = queries.map((query) => aspectOf(index, query, options));
  const candidates = gather(aspects);
  return {
    tools: pick(candidates, aspects),
    matched: Math.max(candidates.length, ...aspects.map(({ matched }) => matched)),
    concepts: distinct(aspects.flatMap(({ concepts }) => concepts)),
  };
}

/** Merges equal concepts of several lists to one reason. */
function distinct(concepts: readonly QueryConcept[]): QueryConcept[] {
  const byTerm = new Map<string, QueryConcept>();
  for (const concept of concepts) {
    const term = concept.variants[0]?.term ?? concept.label;
    if (!byTerm.has(term)) byTerm.set(term, concept);
  }
  return [...byTerm.values()];
}

interface Aspect {
  readonly own: ReadonlyMap<SearchableTool, number>;
  readonly implied: readonly ReadonlyMap<SearchableTool, number>[];
  readonly matched: number;
  readonly concepts: readonly QueryConcept[];
}

function aspectOf(index: ToolIndex, query: string, options: RankOptions): Aspect {
  const text = plainRequest(spokenText(query));
  const own = listOf(index, text, options, WEIGHTS.semanticTenths);
  const implied = impliedQueries(query).map((sub) => ({
    ...impliedListOf(index, sub.query, options),
    place: sub.place,
  }));
  return {
    own: new Map(
      [...own.scores].map(([tool, score]) => [tool, Math.floor((score * verbShare(text, tool.original_name)) / 16)]),
    ),
    implied: implied.filter(({ support }) => support > 0).map(sharpen),
    matched: own.matched,
    concepts: [...own.concepts, ...implied.flatMap(({ concepts }) => concepts)],
  };
}

/** The text that is compared, by words and by the model: without paths and URLs. */
export function spokenText(query: string): string {
  const text = withoutAddresses(query).trim();
  return text === '' ? query : text;
}

interface List {
  readonly scores: ReadonlyMap<SearchableTool, number>;
  /** How well the best tool matches, as a share of one. */
  readonly support: number;
  readonly matched: number;
  readonly concepts: readonly QueryConcept[];
}

function listOf(index: ToolIndex, query: string, options: RankOptions, semanticTenths: number): List {
  return withSemantics(
    index,
    query,
    lexicalList(index, query, SEARCH_LIMITS.candidatesMax, options.server),
    options,
    semanticTenths,
  );
}

/** Sub-queries of rules are constant texts, so their lists are cached until the catalogue changes. */
function impliedListOf(index: ToolIndex, query: string, options: RankOptions): List {
  const make = (): List => lexicalList(index, query, SEARCH_LIMITS.impliedCandidatesMax, options.server);
  const list = options.server === undefined ? index.remember(query, make) : make();
  return withSemantics(index, query, list, options, WEIGHTS.semanticImpliedTenths);
}

function lexicalList(index: ToolIndex, query: string, limit: number, server: string | undefined): List {
  const concepts = analyseQuery(query, index);
  const { hits, matched } = index.score(concepts, limit, server);
  const top = hits[0]?.score ?? 0;
  const scores = new Map(hits.map(({ tool, score }) => [tool, Math.floor((score * ONE) / top)]));
  const expected = Math.floor((perfectScore(index, concepts) * WEIGHTS.expectedTenths) / 10);
  const support = expected === 0 ? 0 : Math.min(ONE, Math.floor((top * ONE) / expected));
  return { scores, support: support < WEIGHTS.supportMin ? 0 : support, matched, concepts };
}

function withSemantics(
  index: ToolIndex,
  query: string,
  list: List,
  { server, semantics }: RankOptions,
  semanticTenths: number,
): List {
  const similarities =
    list.support > 0 || semanticTenths === WEIGHTS.semanticTenths ? semantics?.similarities(query) : undefined;
  return similarities ? { ...list, scores: fuse(index, list.scores, similarities, semanticTenths, server) } : list;
}

function perfectScore(index: ToolIndex, concepts: readonly QueryConcept[]): number {
  let sum = 0;
  for (const { variants } of concepts) {
    const [first] = variants;
    if (!first || isGram(first.term)) continue;
    sum += fullContribution(
      inverseDocumentFrequency(index.size, Math.max(1, index.frequency(first.term))),
      first.weight,
    );
  }
  return sum;
}

/**
 * The weighted sum of the word scores and the squared model similarities, each normalized to its range; a tool without a vector uses its
 * word score only.
 */
function fuse(
  index: ToolIndex,
  words: ReadonlyMap<SearchableTool, number>,
  similarities: ReadonlyMap<string, number>,
  semanticTenths: number,
  server: string | undefined,
): Map<SearchableTool, number> {
  let lowest = Number.POSITIVE_INFINITY;
  let highest = Number.NEGATIVE_INFINITY;
  for (const value of similarities.values()) {
    lowest = Math.min(lowest, value);
    highest = Math.max(highest, value);
  }
  if (words.size === 0 && highest < WEIGHTS.similarityMin) return new Map();
  const range = Math.max(1, highest - lowest);
  const fused: [SearchableTool, number][] = [];
  for (const tool of index.all()) {
    if (server !== undefined && tool.server !== server) continue;
    const word = words.get(tool) ?? 0;
    const similarity = similarities.get(tool.name);
    const meaning = similarity === undefined ? word : square(Math.floor(((similarity - lowest) * ONE) / range));
    fused.push([tool, Math.floor((semanticTenths * meaning + (10 - semanticTenths) * word) / 10)]);
  }
  fused.sort(([a, scoreA], [b, scoreB]) => scoreB - scoreA || byCodeUnits(a.name, b.name));
  const top = Math.max(1, fused[0]?.[1] ?? 0);
  return new Map(
    fused.slice(0, SEARCH_LIMITS.candidatesMax).map(([tool, score]) => [tool, Math.floor((score * ONE) / top)]),
  );
}

/** Similarities are close together: squaring separates the best from the average. */
function square(share: number): number {
  return Math.floor((share * share) / ONE);
}

/** For an implied need only the best tools count: the cube of the score, scaled by the support of the list. */
function sharpen({ scores, support, place }: List & { readonly place: number }): Map<SearchableTool, number> {
  const certainty = WEIGHTS.byPlace[place] ?? 0;
  const sharpened = new Map<SearchableTool, number>();
  for (const [tool, score] of scores) {
    const share = Math.floor((Math.floor((score * support) / ONE) * certainty) / ONE);
    sharpened.set(tool, Math.floor((Math.floor((share * score) / ONE) * score) / ONE));
  }
  return sharpened;
}

function gather(aspects: readonly Aspect[]): Candidate[] {
  const candidates = new Map<SearchableTool, Candidate>();
  const candidate = (tool: SearchableTool): Candidate => {
    let entry = candidates.get(tool);
    if (!entry) {
      entry = { tool, own: aspects.map(() => 0), implied: aspects.map(({ implied }) => implied.map(() => 0)) };
      candidates.set(tool, entry);
    }
    return entry;
  };
  for (const [at, { own, implied }] of aspects.entries()) {
    for (const [tool, score] of own) candidate(tool).own[at] = score;
    for (const [sub, scores] of implied.entries()) {
      for (const [tool, score] of scores) (candidate(tool).implied[at] as number[])[sub] = score;
    }
  }
  return [...candidates.values()];
}

/** Fills the places one by one, so that every need is served once before any is served again. */
function pick(candidates: readonly Candidate[], aspects: readonly Aspect[]): RankedTool[] {
  const picked: RankedTool[] = [];
  const needs = aspects.map(({ implied }) => implied.map(() => ONE));
  const queries = aspects.map(() => ONE);
  const servers = new Map<string, number>();

  const valueFor = (candidate: Candidate, at: number, impliedWeight: number): number => {
    const left = needs[at] as number[];
    const implied = candidate.implied[at] as number[];
    let need = 0;
    for (let sub = 0; sub < left.length; sub += 1)
      need = Math.max(need, Math.floor(((implied[sub] as number) * (left[sub] as number)) / ONE));
    const own = Math.floor(((candidate.own[at] as number) * (servers.get(candidate.tool.server) ?? ONE)) / ONE);
    return own + Math.floor((need * impliedWeight) / ONE);
  };
  const value = (candidate: Candidate, impliedWeight: number): number => {
    let best = 0;
    for (let at = 0; at < queries.length; at += 1) {
      best = Math.max(best, Math.floor((valueFor(candidate, at, impliedWeight) * (queries[at] as number)) / ONE));
    }
    return best;
  };
  const serve = (candidate: Candidate): void => {
    for (const [at, left] of needs.entries()) {
      for (const [sub, share] of left.entries())
        left[sub] = reduce(share, (candidate.implied[at] as number[])[sub] as number);
      if (queries.length > 1) queries[at] = reduce(queries[at] as number, Math.min(ONE, candidate.own[at] as number));
    }
    const { server } = candidate.tool;
    servers.set(server, Math.floor(((servers.get(server) ?? ONE) * WEIGHTS.sameServer) / ONE));
  };

  const [first, ...others] = valued(candidates, (candidate) => value(candidate, WEIGHTS.impliedAtFirst));
  if (!first) return [];
  picked.push({ tool: first.candidate.tool, score: first.bound });
  serve(first.candidate);
  let rest = valued(
    others.map(({ candidate }) => candidate),
    (candidate) => value(candidate, WEIGHTS.implied),
  );
  while (rest.length > 0 && picked.length < PICKS) {
    const best = takeBest(rest, (candidate) => value(candidate, WEIGHTS.implied));
    picked.push({ tool: best.candidate.tool, score: best.bound });
    serve(best.candidate);
    rest = rest.filter((one) => one !== best).sort(byBound);
  }
  const remaining = valued(
    rest.map(({ candidate }) => candidate),
    (candidate) => value(candidate, WEIGHTS.implied),
  );
  return descending([...picked, ...remaining.map(({ candidate, bound }) => ({ tool: candidate.tool, score: bound }))]);
}

/** A candidate with its last computed value; values only decrease while places are filled. */
interface Valued {
  readonly candidate: Candidate;
  bound: number;
}

function valued(candidates: readonly Candidate[], value: (candidate: Candidate) => number): Valued[] {
  return candidates.map((candidate) => ({ candidate, bound: value(candidate) })).sort(byBound);
}

function byBound(a: Valued, b: Valued): number {
  return b.bound - a.bound || byCodeUnits(a.candidate.tool.name, b.candidate.tool.name);
}

/** The best candidate of a list sorted by bounds: recomputes only those whose bound reaches the best value so far. */
function takeBest(sorted: readonly Valued[], value: (candidate: Candidate) => number): Valued {
  let best: Valued | undefined;
  for (const one of sorted) {
    if (best && one.bound < best.bound) break;
    one.bound = value(one.candidate);
    if (!best || byBound(one, best) < 0) best = one;
  }
  return best as Valued;
}

function reduce(share: number, served: number): number {
  return Math.floor((share * (ONE - Math.floor((served * WEIGHTS.servedShare) / ONE))) / ONE);
}

/** The first place uses other weights than the rest: raises its score to the second one's, so that scores never increase. */
function descending(tools: readonly RankedTool[]): RankedTool[] {
  const [first, second] = tools;
  if (!first || !second || first.score >= second.score) return [...tools];
  return [{ tool: first.tool, score: second.score }, ...tools.slice(1)];
}
