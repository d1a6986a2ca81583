import { SEARCH_LIMITS } from '../limits.ts';
import { INTENT_RULES, INTENT_WORDS } from './intent-rules.ts';

export interface ImpliedQuery {
  readonly query: string;
  /** Its position in its rule: the first is the most certain. */
  readonly place: number;
}

interface IntentRule {
  readonly when: RegExp;
  readonly and: RegExp | undefined;
  readonly unless: RegExp | undefined;
  readonly queries: readonly string[];
  readonly fallback: boolean;
}

/**
 * The sub-queries that a task implies: those of all matching rules, without duplicates. The first of each rule come before all second
 * ones, so that a limit keeps the most important one of each rule.
 */
export function impliedQueries(query: string): ImpliedQuery[] {
  const text = query.slice(0, SEARCH_LIMITS.queryCharsMax).toLowerCase();
  const holding = allRules().filter(
    ({ when, and, unless }) => when.test(text) && (and?.test(text) ?? true) && !unless?.test(text),
  );
  const specific = holding.filter(({ fallback }) => !fallback);
  const rules = specific.length < FALLBACK_BELOW ? holding : specific;
  const queries = new Map<string, ImpliedQuery>();
  for (let at = 0; at < QUERIES_PER_RULE_MAX; at += 1) {
    for (const rule of rules) {
      const implied = rule.queries[at];
      if (implied !== undefined && !queries.has(implied)) queries.set(implied, { query: implied, place: at });
    }
  }
  return [...queries.values()].slice(0, SEARCH_LIMITS.intentsMax);
}

/** All sub-queries of all rules. */
export function allImpliedQueries(): string[] {
  return [...new Set(allRules().flatMap(({ queries }) => queries))];
}

/** Removes URLs and paths from a query: their words are names, not requirements. */
export function withoutAddresses(query: string): string {
  return query.replace(ADDRESS, ' ').replace(PATH, ' ');
}

const QUERIES_PER_RULE_MAX = 3;
/** Fallback rules apply if fewer rules than this match. */
const FALLBACK_BELOW = 2;
const ARROW = / [=~]> /;
const ADDRESS = /https?:\/\/\S+/giu;
const PATH = /(?<![\p{L}\p{N}])(?:~|\.{1,2}|[a-z]:)?[/\\][^\s'"，。,;)]+/giu;

let rulesOnce: readonly IntentRule[] | undefined;

/** Parsed at the first search, not at start-up. */
function allRules(): readonly IntentRule[] {
  rulesOnce ??= INTENT_RULES.split('\n')
    .filter((line) => ARROW.test(line))
    .map(parseRule);
  return rulesOnce;
}

function parseRule(line: string): IntentRule {
  const [condition = '', queries = ''] = line.split(ARROW);
  const [positive = '', unless] = condition.split(' !! ');
  const [when = '', and] = positive.split(' && ');
  return {
    when: expression(when),
    and: and === undefined ? undefined : expression(and),
    unless: unless === undefined ? undefined : expression(unless),
    queries: queries.split(';').map((query) => query.trim()),
    fallback: line.includes(' ~> '),
  };
}

function expression(source: string): RegExp {
  return new RegExp(source.replaceAll(/\{([a-z-]+)\}/g, (_, name: string) => INTENT_WORDS[name] as string));
}
