import { BinderyError } from '../../contract/errors.ts';
import { SEARCH_LIMITS } from './limits.ts';
import { type RankedTool, type Ranking, rankTools, type Semantics, spokenText } from './ranking/rank-tools.ts';
import type { Reason, ToolIndex } from './ranking/tool-index.ts';
import { SIMILARITY_ONE } from './vectors/tool-vectors.ts';
import type { CountTokens } from './words/tokens.ts';

/** The arguments of `find_tools` from a client. */
export interface FindToolsInput {
  readonly query?: string | undefined;
  readonly queries?: readonly string[] | undefined;
  readonly budget?: number | undefined;
  readonly limit?: number | undefined;
  readonly server?: string | undefined;
}

export interface FindToolsOptions {
  /** Ids of servers whose tools are not known yet. */
  readonly missing?: readonly string[] | undefined;
  readonly semantics?: Semantics | undefined;
}

export interface FoundTool {
  readonly name: string;
  readonly server: string;
  readonly description: string;
  readonly input_schema: Readonly<Record<string, unknown>>;
  readonly score: number;
  readonly reasons: readonly (Reason | MeaningReason)[];
}

/** The model's reason: the query that is closest to the tool, and how close, in thousandths. */
export interface MeaningReason {
  readonly term: string;
  readonly field: 'meaning';
  readonly score: number;
}

/** The answer of `find_tools`; its compact JSON is the text block that `budget.used` counts. */
export interface FoundTools {
  readonly tools: readonly FoundTool[];
  readonly matched: number;
  readonly omitted: number;
  readonly budget: { readonly limit: number; readonly used: number };
  /** Only if nothing matched. */
  readonly servers?: readonly string[];
  readonly missing: readonly string[];
}

/**
 * Finds the tools for one or more queries within a token budget, with full schemas, best first. A larger budget gives the same tools and
 * possibly more. An entry that would nearly fill the default budget comes last, so that it does not displace others.
 */
export function findTools(
  index: ToolIndex,
  input: FindToolsInput,
  count: CountTokens,
  { missing = [], semantics }: FindToolsOptions = {},
): FoundTools {
  const { queries, budget, limit } = checkInput(input);
  const ranking = rankTools(index, queries, { server: input.server, semantics });
  const named = fitting(missing, MISSING_TOKENS, (id) => count(JSON.stringify(id)));
  if (ranking.tools.length === 0) return nothingFound(index, budget, named, count);

  const { matched } = ranking;
  const answer = (tools: readonly FoundTool[]): FoundTools =>
    counted(
      { tools, matched, omitted: matched - tools.length, budget: { limit: budget, used: 0 }, missing: named },
      count,
    );
  const meaning = semantics && meaningOf(semantics, queries);
  const entries = ranking.tools.slice(0, limit).map((ranked) => describe(index, ranked, ranking, meaning));
  const tokens = new Map(entries.map((entry) => [entry, count(JSON.stringify(entry))]));
  const tokensOf = (entry: FoundTool): number => tokens.get(entry) as number;
  return fill(largeLast(entries, tokensOf), tokensOf, answer);
}

/** The single text block of the answer. */
export function foundToolsText(found: FoundTools): string {
  return JSON.stringify(found);
}

/** A larger entry would leave no room for others in the default budget. */
const LARGE_ENTRY_TOKENS = 1_500;
/** Characters of a query that are shown, to distinguish it from the others. */
const MEANING_TERM_CHARS_MAX = 40;

/** The queries of a call of `find_tools`. Throws `INVALID_ARGUMENTS`. */
export function queriesOf(input: FindToolsInput): readonly string[] {
  return checkInput(input).queries;
}

function checkInput(input: FindToolsInput): { queries: readonly string[]; budget: number; limit: number } {
  const budget = input.budget ?? SEARCH_LIMITS.budgetTokensDefault;
  const limit = input.limit ?? SEARCH_LIMITS.limitDefault;
  if ((input.query === undefined) === (input.queries === undefined)) {
    throw invalid('Pass either query or queries: one text, or one text for each step of a plan.');
  }
  const texts = input.queries ?? [input.query];
  if (!Array.isArray(texts) || !texts.every((text) => typeof text === 'string')) throw invalid('A query is a text.');
  const queries = texts.map((query) => query.slice(0, SEARCH_LIMITS.queryCharsMax));
  if (queries.length === 0 || queries.length > SEARCH_LIMITS.queriesMax) {
    throw invalid(`queries holds 1 to ${SEARCH_LIMITS.queriesMax} texts.`);
  }
  if (!isWhole(budget, SEARCH_LIMITS.budgetTokensMin, SEARCH_LIMITS.budgetTokensMax)) {
    throw invalid(
      `budget is a whole number from ${SEARCH_LIMITS.budgetTokensMin} to ${SEARCH_LIMITS.budgetTokensMax}.`,
    );
  }
  if (input.server !== undefined && typeof input.server !== 'string') throw invalid('server is the id of a server.');
  if (!isWhole(limit, 1, SEARCH_LIMITS.limitMax))
    throw invalid(`limit is a whole number from 1 to ${SEARCH_LIMITS.limitMax}.`);
  return { queries, budget, limit };
}

function invalid(detail: string): BinderyError {
  return new BinderyError('INVALID_ARGUMENTS', { detail, next: 'Correct the arguments and call find_tools again.' });
}

function isWhole(value: number, min: number, max: number): boolean {
  return Number.isInteger(value) && value >= min && value <= max;
}

function describe(
  index: ToolIndex,
  { tool, score }: RankedTool,
  { concepts }: Ranking,
  meaning: ((name: string) => MeaningReason | undefined) | undefined,
): FoundTool {
  const means = meaning?.(tool.name);
  return {
    name: tool.name,
    server: tool.server,
    description: tool.description ?? '',
    input_schema: tool.input_schema,
    score,
    reasons: [...index.explain(tool.name, concepts, SEARCH_LIMITS.reasonsMax), ...(means ? [means] : [])],
  };
}

function meaningOf(semantics: Semantics, queries: readonly string[]) {
  const asked = queries.map((query) => ({
    term: [...query].slice(0, MEANING_TERM_CHARS_MAX).join(''),
    similarities: semantics.similarities(spokenText(query)),
  }));
  return (name: string): MeaningReason | undefined => {
    let closest: MeaningReason | undefined;
    for (const { term, similarities } of asked) {
      const score = Math.floor(((similarities?.get(name) ?? 0) * 1_000) / SIMILARITY_ONE);
      if (score > (closest?.score ?? 0)) closest = { term, field: 'meaning', score };
    }
    return closest;
  };
}

/** The order must not depend on the budget, or a larger budget could lose tools of a smaller one. */
function largeLast(entries: readonly FoundTool[], tokensOf: (entry: FoundTool) => number): FoundTool[] {
  const isLarge = (entry: FoundTool): boolean => tokensOf(entry) > LARGE_ENTRY_TOKENS;
  return [...entries.filter((entry) => !isLarge(entry)), ...entries.filter(isLarge)];
}

function nothingFound(index: ToolIndex, budget: number, missing: readonly string[], count: CountTokens): FoundTools {
  const answer = (servers: readonly string[]): FoundTools =>
    counted({ tools: [], matched: 0, omitted: 0, budget: { limit: budget, used: 0 }, servers, missing }, count);
  return fill(index.servers().slice(0, SEARCH_LIMITS.serversNamedMax), (id) => count(JSON.stringify(id)), answer);
}

/** The answer with the longest prefix of a list that fits the budget: estimated from the parts, then verified for the whole. */
function fill<T>(
  items: readonly T[],
  tokensOf: (item: T) => number,
  answer: (part: readonly T[]) => FoundTools,
): FoundTools {
  const empty = answer([]);
  let part = fitting(items, empty.budget.limit - empty.budget.used - NUMBERS_TOKENS, tokensOf);
  for (;;) {
    const full = answer(part);
    if (full.budget.used <= full.budget.limit || part.length === 0) return full;
    part = part.slice(0, -1);
  }
}

function fitting<T>(items: readonly T[], budget: number, tokensOf: (item: T) => number): readonly T[] {
  let sum = 0;
  const end = items.findIndex((item) => {
    sum += tokensOf(item) + JOINT_TOKENS;
    return sum > budget;
  });
  return end < 0 ? items : items.slice(0, end);
}

/** The cost of a comma between items, and of larger numbers in the rest of the answer. */
const JOINT_TOKENS = 1;
const NUMBERS_TOKENS = 4;
/** Reserved for ids of servers that are not known yet, regardless of the budget. */
const MISSING_TOKENS = 100;

/** Sets the token count of the answer. The count is part of the text, so it is repeated until it is stable. */
function counted(found: FoundTools, count: CountTokens): FoundTools {
  let current = found;
  for (;;) {
    const used = count(foundToolsText(current));
    if (used <= current.budget.used) return current;
    current = { ...current, budget: { limit: current.budget.limit, used } };
  }
}
