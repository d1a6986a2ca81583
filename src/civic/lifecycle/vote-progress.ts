import { type Status, THRESHOLDS } from '../config.ts';
import { type Artefact, isRow } from './artefact.ts';
import { approval, HOUR_MS, type Tally, tallyVotes, wilsonLowerBound } from './tally.ts';

/** One condition of a transition. `below`: the value must be less than the threshold. */
export interface Condition {
  readonly name: string;
  readonly have: number;
  readonly need: number;
  readonly met: boolean;
  readonly below?: true;
}

/** A possible next state, and its conditions. */
export interface Toward {
  readonly to: Status;
  readonly conditions: readonly Condition[];
}

/** The counted votes of an artefact against the thresholds of its state. */
export interface VoteProgress {
  readonly confirms: number;
  readonly rejects: number;
  readonly utc_days: number;
  readonly toward: readonly Toward[];
}

/** The progress of an artefact's votes. Demotions come first, in the order of decision [L5]. */
export function voteProgress(artefact: Artefact, now: number): VoteProgress {
  const tally = tallyVotes(artefact.votes, now, THRESHOLDS.beta_to_alpha.window_hours);
  const { confirms, rejects, days } = tally;
  return { confirms, rejects, utc_days: days, toward: transitions(artefact, tally, now) };
}

function transitions(artefact: Artefact, tally: Tally, now: number): Toward[] {
  const hours = Math.max(0, (now - artefact.enteredAt) / HOUR_MS);
  const rule = THRESHOLDS;
  switch (artefact.state) {
    case 'alpha':
      return [
        {
          to: 'draft',
          conditions: [
            atLeast('rejects', tally.rejects, rule.alpha_to_draft.rejects),
            below('approval', approval(tally), rule.alpha_to_draft.approval_below),
          ],
        },
        { to: 'beta', conditions: towardBeta(artefact, tally, hours) },
      ];
    case 'beta':
      return [
        {
          to: 'alpha',
          conditions: [
            atLeast('recent_rejects', tally.recent.rejects, rule.beta_to_alpha.rejects),
            below('approval', approval(tally), rule.beta_to_alpha.approval_below),
          ],
        },
        { to: 'stable', conditions: towardStable(artefact, tally, hours) },
      ];
    case 'stable':
      return [
        {
          to: 'beta',
          conditions: [
            atLeast('recent_rejects', tally.recent.rejects, rule.stable_to_beta.rejects),
            atLeast('recent_reject_share', rejectShare(tally.recent), rule.stable_to_beta.reject_share_min),
          ],
        },
      ];
    default:
      return [];
  }
}

function towardBeta({ type }: Artefact, tally: Tally, hours: number): Condition[] {
  const rule = THRESHOLDS.alpha_to_beta;
  return [
    atLeast('confirms', tally.confirms, isRow(type) ? rule.confirms_row : rule.confirms),
    atLeast('approval', approval(tally), rule.approval_min),
    atLeast('utc_days', tally.days, rule.utc_days),
    atLeast('hours_in_state', hours, rule.hours_in_state),
  ];
}

function towardStable({ type, hasDeadCitation }: Artefact, tally: Tally, hours: number): Condition[] {
  const rule = THRESHOLDS.beta_to_stable;
  const agreed = isRow(type)
    ? atLeast('approval', approval(tally), rule.approval_min_row)
    : atLeast('wilson', wilsonLowerBound(tally.confirms, tally.rejects), rule.wilson_min);
  return [
    atLeast('confirms', tally.confirms, isRow(type) ? rule.confirms_row : rule.confirms),
    agreed,
    atLeast('hours_in_state', hours, rule.hours_in_state),
    below('dead_citations', hasDeadCitation ? 1 : 0, 1),
  ];
}

function rejectShare({ confirms, rejects }: Tally['recent']): number {
  return confirms + rejects === 0 ? 0 : rejects / (confirms + rejects);
}

export function atLeast(name: string, have: number, need: number): Condition {
  return { name, have: shown(have), need, met: have >= need };
}

export function below(name: string, have: number, need: number): Condition {
  return { name, have: shown(have), need, met: have < need, below: true };
}

/** Three digits, to avoid false precision. Conditions are checked before rounding. */
function shown(value: number): number {
  return Math.floor(value * 1000) / 1000;
}
