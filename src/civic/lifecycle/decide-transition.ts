import { type Status, THRESHOLDS } from '../config.ts';
import { type Artefact, isRow } from './artefact.ts';
import { approval, HOUR_MS, type Tally, tallyVotes, wilsonLowerBound } from './tally.ts';

const WINDOW_HOURS = THRESHOLDS.beta_to_alpha.window_hours;

/** The state that these votes lead to now; undefined: no change. Demotion is checked first [L5]. */
export function decideTransition(artefact: Artefact, now: number): Status | undefined {
  const tally = tallyVotes(artefact.votes, now, WINDOW_HOURS);
  return demotion(artefact, tally) ?? promotion(artefact, tally, now);
}

/** The next instant after `now` at which time alone could change the decision; undefined: only a vote can. */
export function nextDecisionAt(artefact: Artefact, now: number): number | undefined {
  if (artefact.votes.length === 0) return undefined;
  const instants: number[] = [];
  if (artefact.state === 'alpha') instants.push(artefact.enteredAt + THRESHOLDS.alpha_to_beta.hours_in_state * HOUR_MS);
  if (artefact.state === 'beta') instants.push(artefact.enteredAt + THRESHOLDS.beta_to_stable.hours_in_state * HOUR_MS);
  // A vote that leaves the window can raise the share of rejects.
  if (artefact.state === 'stable') {
    instants.push(...artefact.votes.map((vote) => vote.at + WINDOW_HOURS * HOUR_MS + 1));
  }
  const next = Math.min(...instants.filter((instant) => instant > now));
  return Number.isFinite(next) ? next : undefined;
}

export function demotion({ state }: Artefact, tally: Tally): Status | undefined {
  const { beta_to_alpha, stable_to_beta, alpha_to_draft } = THRESHOLDS;
  switch (state) {
    case 'alpha':
      return tally.rejects >= alpha_to_draft.rejects && approval(tally) < alpha_to_draft.approval_below
        ? 'draft'
        : undefined;
    case 'beta':
      return tally.recent.rejects >= beta_to_alpha.rejects && approval(tally) < beta_to_alpha.approval_below
        ? 'alpha'
        : undefined;
    case 'stable':
      return tally.recent.rejects >= stable_to_beta.rejects &&
        tally.recent.rejects / (tally.recent.confirms + tally.recent.rejects) >= stable_to_beta.reject_share_min
        ? 'beta'
        : undefined;
    default:
      return undefined;
  }
}

export function promotion(artefact: Artefact, tally: Tally, now: number): Status | undefined {
  const hours = (now - artefact.enteredAt) / HOUR_MS;
  if (artefact.state === 'alpha') {
    const rule = THRESHOLDS.alpha_to_beta;
    return tally.confirms >= (isRow(artefact.type) ? rule.confirms_row : rule.confirms) &&
      approval(tally) >= rule.approval_min &&
      hours >= rule.hours_in_state &&
      tally.days >= rule.utc_days
      ? 'beta'
      : undefined;
  }
  if (artefact.state === 'beta') {
    const rule = THRESHOLDS.beta_to_stable;
    const isAgreed = isRow(artefact.type)
      ? tally.confirms >= rule.confirms_row && approval(tally) >= rule.approval_min_row
      : tally.confirms >= rule.confirms && wilsonLowerBound(tally.confirms, tally.rejects) >= rule.wilson_min;
    return isAgreed && hours >= rule.hours_in_state && !artefact.hasDeadCitation ? 'stable' : undefined;
  }
  return undefined;
}
