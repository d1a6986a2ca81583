import { SEARCH_LIMITS } from './limits.ts';

/** A query after which a tool was called with success, as the audit log has it. */
export interface LearnedCall {
  readonly query: string;
  readonly tool: string;
}

/**
 * The past queries of each tool, newest last in `calls`: distinct, the newest first, a bounded number. They become a field of
 * the tool (`learnedQueries`), so what a person's agents use is found again in their words. Local, and only where it is switched on.
 */
export function learnQueries(calls: readonly LearnedCall[]): Map<string, readonly string[]> {
  const learned = new Map<string, string[]>();
  for (const { query, tool } of calls.toReversed()) {
    const text = query.trim().slice(0, SEARCH_LIMITS.learnedQueryCharsMax);
    const queries = learned.get(tool) ?? [];
    if (text === '' || queries.includes(text) || queries.length >= SEARCH_LIMITS.learnedQueriesPerToolMax) continue;
    learned.set(tool, [...queries, text]);
  }
  return learned;
}
