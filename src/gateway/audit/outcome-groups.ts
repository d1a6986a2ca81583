/** Outcomes that figures add up: a filter takes these names too, so that each figure leads to its calls. */
export const OUTCOME_GROUPS = ['failed', 'refused', 'undecided'] as const;

export type OutcomeGroup = (typeof OUTCOME_GROUPS)[number];

/** The policy, a limit or a person said no: the server was not asked. */
export const REFUSED = ['denied', 'rate_limited', 'breaker_open'] as const;

/** The rule of a call whose client stopped waiting before a person decided; its outcome is `denied`. */
export const UNDECIDED_RULE = 'approval_pending';

/** Undefined: it went well, or has not ended. */
export function groupOf(outcome: string | null, rule: string | null): OutcomeGroup | undefined {
  if (outcome === null || outcome === 'ok') return undefined;
  if (!REFUSED.some((one) => one === outcome)) return 'failed';
  return outcome === 'denied' && rule === UNDECIDED_RULE ? 'undecided' : 'refused';
}
