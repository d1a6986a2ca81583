import { analyseQuery } from './analyse-query.ts';
import { inverseDocumentFrequency } from './fixed-log.ts';
import { impliedQueries, withoutAddresses } from './intents.ts';
import { SEARCH_LIMITS } from './limits.ts';
import type { SearchableTool } from './searchable-tool.ts';
import { isGram } from './terms.ts';
import { byCodeUnits, fullContribution, type QueryConcept, type ToolIndex } from './tool-index.ts';

/** What a model says of a query, if it was asked in time: how close each tool is to it, in whole numbers. */
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
  /** Tools that have anything in common with the queries. */
  readonly matched: number;
  /** What the queries looked for, for the reasons. */
  readonly concepts: readonly QueryConcept[];
}

/** Scores of a list are shares of this. */
const ONE = 1_024;

/**
 * The weights of the merge, tuned on the development halves of the two sets (docs/search.md). The first place belongs to the query's
 * own words; from then on an implied need weighs about as much as the words, less the more it is served, and a server's further tools
 * make room for those of others.
 */
const WEIGHTS = {
  implied: 1_100,
  impliedAtFirst: 600,
  servedShare: 512,
  sameServer: 900,
  /** A sub-query counts in full if its best tool has this share (in tenths) of what a perfect one would have. */
  expectedTenths: 7,
  /** Below this a sub-query has no tool here. */
  supportMin: 300,
  /** Share of the model in a query's list and in that of a sub-query, in tenths. */
  semanticTenths: 6,
  semanticImpliedTenths: 3,
};
/** Places that are filled one by one; what comes after them is in the order of the remaining scores. */
const PICKS = 30;

interface Candidate {
  readonly tool: SearchableTool;
  readonly own: number[];
  readonly implied: number[][];
}

/** Ranks the tools of an index for one query or for the queries of a plan, best first; the same answer everywhere. */
export function rankTools(index: ToolIndex, queries: readonly string[], options: RankOptions = {}): Ranking {
  const aspects = queries.map((query) => aspectOf(index, query, options));
  const candidates = gather(aspects);
  return {
    tools: pick(candidates, aspects),
    matched: Math.max(candidates.length, ...aspects.map(({ matched }) => matched)),
    concepts: distinct(aspects.flatMap(({ concepts }) => concepts)),
  };
}

/** A concept that several lists look for is one reason, not several. */
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
  const text = spokenText(query);
  const own = listOf(index, text, options, WEIGHTS.semanticTenths);
  const implied = impliedQueries(query).map((sub) => listOf(index, sub, options, WEIGHTS.semanticImpliedTenths));
  return {
    own: own.scores,
    implied: implied.filter(({ support }) => support > 0).map(sharpen),
    matched: own.matched,
    concepts: [...own.concepts, ...implied.flatMap(({ concepts }) => concepts)],
  };
}

/** The text of a query that is compared, with words and with a model: paths and addresses say what kind, not what. */
export function spokenText(query: string): string {
  const text = withoutAddresses(query).trim();
  return text === '' ? query : text;
}

interface List {
  readonly scores: ReadonlyMap<SearchableTool, number>;
  /** How well the best tool answers, as a share of one. */
  readonly support: number;
  readonly matched: number;
  readonly concepts: readonly QueryConcept[];
}

function listOf(index: ToolIndex, query: string, { server, semantics }: RankOptions, semanticTenths: number): List {
  const concepts = analyseQuery(query, index);
  const { hits, matched } = index.score(concepts, SEARCH_LIMITS.candidatesMax, server);
  const top = hits[0]?.score ?? 0;
  const words = new Map(hits.map(({ tool, score }) => [tool, Math.floor((score * ONE) / top)]));
  const similarities = semantics?.similarities(query);
  const scores = similarities ? fuse(index, words, similarities, semanticTenths, server) : words;
  const expected = Math.floor((perfectScore(index, concepts) * WEIGHTS.expectedTenths) / 10);
  const support = expected === 0 ? 0 : Math.min(ONE, Math.floor((top * ONE) / expected));
  return { scores, support: support < WEIGHTS.supportMin ? 0 : support, matched, concepts };
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

/** The weighted sum of words and model, each stretched over its range; a tool without a vector yet stands on its words. */
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
  const range = Math.max(1, highest - lowest);
  const fused: [SearchableTool, number][] = [];
  for (const tool of index.all()) {
    if (server !== undefined && tool.server !== server) continue;
    const word = words.get(tool) ?? 0;
    const similarity = similarities.get(tool.name);
    const meaning = similarity === undefined ? word : Math.floor(((similarity - lowest) * ONE) / range);
    fused.push([tool, Math.floor((semanticTenths * meaning + (10 - semanticTenths) * word) / 10)]);
  }
  fused.sort(([a, scoreA], [b, scoreB]) => scoreB - scoreA || byCodeUnits(a.name, b.name));
  const top = Math.max(1, fused[0]?.[1] ?? 0);
  return new Map(
    fused.slice(0, SEARCH_LIMITS.candidatesMax).map(([tool, score]) => [tool, Math.floor((score * ONE) / top)]),
  );
}

/** Of an implied need only the clearly best tools count: the cube of the score, by how well the list answers at all. */
function sharpen({ scores, support }: List): Map<SearchableTool, number> {
  const sharpened = new Map<SearchableTool, number>();
  for (const [tool, score] of scores) {
    const share = Math.floor((score * support) / ONE);
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

/** Fills the places one by one, so that each need is served before one of them is served again. */
function pick(candidates: readonly Candidate[], aspects: readonly Aspect[]): RankedTool[] {
  const rest = new Set(candidates);
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

  while (rest.size > 0 && picked.length < PICKS) {
    const impliedWeight = picked.length === 0 ? WEIGHTS.impliedAtFirst : WEIGHTS.implied;
    const [best, score] = bestOf(rest, (candidate) => value(candidate, impliedWeight));
    rest.delete(best);
    picked.push({ tool: best.tool, score });
    serve(best);
  }
  const remaining = [...rest].map((candidate) => ({ tool: candidate.tool, score: value(candidate, WEIGHTS.implied) }));
  return descending([
    ...picked,
    ...remaining.sort((a, b) => b.score - a.score || byCodeUnits(a.tool.name, b.tool.name)),
  ]);
}

function reduce(share: number, served: number): number {
  return Math.floor((share * (ONE - Math.floor((served * WEIGHTS.servedShare) / ONE))) / ONE);
}

function bestOf(candidates: Iterable<Candidate>, value: (candidate: Candidate) => number): [Candidate, number] {
  let best: Candidate | undefined;
  let highest = -1;
  for (const candidate of candidates) {
    const score = value(candidate);
    if (score > highest || (score === highest && candidate.tool.name < (best as Candidate).tool.name)) {
      best = candidate;
      highest = score;
    }
  }
  return [best as Candidate, highest];
}

/** The first place is given by other weights than the rest: its score is raised to what follows, so that scores never rise. */
function descending(tools: readonly RankedTool[]): RankedTool[] {
  const [first, second] = tools;
  if (!first || !second || first.score >= second.score) return [...tools];
  return [{ tool: first.tool, score: second.score }, ...tools.slice(1)];
}
