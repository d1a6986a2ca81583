import type { Call } from './types.ts';

/** Groups that the gateway adds up and takes as a filter. */
export const OUTCOME_GROUPS = ['failed', 'refused', 'undecided'] as const;

const REFUSED = ['denied', 'rate_limited', 'breaker_open'];

type Ended = Pick<Call, 'outcome' | 'rule'>;

/** What became of a call: one whose client stopped waiting for a person was not denied by anybody. */
export function outcomeOf({ outcome, rule }: Ended): string | undefined {
  return outcome === 'denied' && rule?.rule === 'approval_pending' ? 'undecided' : outcome;
}

/** Whether a call is of an outcome, or of a group of them. */
export function hasOutcome(call: Ended, asked: string): boolean {
  const shown = outcomeOf(call);
  if (call.outcome === asked || shown === asked) return true;
  if (asked === 'refused') return REFUSED.some((one) => one === shown);
  return asked === 'failed' && shown !== undefined && !['ok', 'undecided', ...REFUSED].includes(shown);
}

/** What the gateway itself notes is over when it is written: it does not run and has no outcome. */
export function isEvent({ kind, outcome }: Pick<Call, 'kind' | 'outcome'>): boolean {
  return kind === 'system' && outcome === undefined;
}

/** What a record is about: a tool of a server, or what was done, and to which. */
export function subjectOf({ kind, action, server, tool, name }: Call): string {
  const target = server === undefined ? (name ?? '') : `${server} / ${tool ?? name ?? ''}`;
  if (kind === 'system' && action !== undefined)
    return `${action.replaceAll('_', ' ')} ${target}`.replace(/[ /]+$/, '');
  return server === undefined ? (action ?? name ?? kind) : target;
}
