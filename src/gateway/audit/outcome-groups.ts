/** Groups of outcomes for statistics. Filters accept these names too, so that each figure links to its calls. */
export const OUTCOME_GROUPS = ['failed', 'refused', 'undecided'] as const;

export type OutcomeGroup = (typeof OUTCOME_GROUPS)[number];

/** Policy, a limit or a person refused the call: it was not sent to the server. */
export const REFUSED = ['denied', 'rate_limited', 'breaker_open'] as const;

/** The rule of a call whose client stopped waiting before a person decided; its outcome is `denied`. */
export const UNDECIDED_RULE = 'approval_pending';

/** Undefined: it succeeded, or has not ended. */
export function groupOf(outcome: string | null, rule: string | null): OutcomeGroup | undefined {
  if (outcome === null || outcome === 'ok') return undefined;
  if (!REFUSED.some((one) => one === outcome)) return 'failed';
  return outcome === 'denied' && rule === UNDECIDED_RULE ? 'undecided' : 'refused';
}
