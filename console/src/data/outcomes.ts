import type { Call } from './types.ts';

/** Groups of outcomes that the gateway counts and accepts as a filter. */
export const OUTCOME_GROUPS = ['failed', 'refused', 'undecided'] as const;

const REFUSED = ['denied', 'rate_limited', 'breaker_open'];

type Ended = Pick<Call, 'outcome' | 'rule'>;

/** The outcome of a call. A call whose client stopped waiting for a person was not denied. */
export function outcomeOf({ outcome, rule }: Ended): string | undefined {
  return outcome === 'denied' && rule?.rule === 'approval_pending' ? 'undecided' : outcome;
}

/** Whether a call has this outcome, or one of this group, as the filter of the gateway decides: an undecided call is recorded as `denied`. */
export function hasOutcome(call: Ended, asked: string): boolean {
  const shown = outcomeOf(call);
  if (call.outcome === asked || shown === asked) return true;
  if (asked === 'refused') return REFUSED.some((one) => one === shown);
  return asked === 'failed' && shown !== undefined && !['ok', 'undecided', ...REFUSED].includes(shown);
}

/** Records of the gateway itself are complete when they are written: they do not run and have no outcome. */
export function isEvent({ kind, outcome }: Pick<Call, 'kind' | 'outcome'>): boolean {
  return kind === 'system' && outcome === undefined;
}

/** The subject of a record: a tool of a server, or an action and its target. */
export function subjectOf({ kind, action, server, tool, name }: Call): string {
  const target = server === undefined ? (name ?? '') : `${server} / ${tool ?? name ?? ''}`;
  if (kind === 'system' && action !== undefined)
    return `${action.replaceAll('_', ' ')} ${target}`.replace(/[ /]+$/, '');
  return server === undefined ? (action ?? name ?? kind) : target;
}
