import type { Status } from '../config.ts';

/** What has a life cycle of its own; a path's sources live with their path. */
export const ARTEFACT_TYPES = ['skill', 'path', 'volatile_value', 'reference', 'concern'] as const;
export type ArtefactType = (typeof ARTEFACT_TYPES)[number];

export type Verdict = 'confirm' | 'reject';

/** A counted vote: the latest of its address in this epoch. */
export interface Vote {
  /** The event that cast it. */
  readonly seq: number;
  readonly verdict: Verdict;
  readonly at: number;
}

export interface Artefact {
  readonly type: ArtefactType;
  readonly id: string;
  /** Semver; votes are about one version. */
  readonly version: string;
  readonly state: Status;
  /** When it came into this state. */
  readonly enteredAt: number;
  /** The state that a quarantined artefact returns to. */
  readonly priorState: Status | undefined;
  /** Goes up whenever the counts restart; a vote counts in the epoch in which it was cast. */
  readonly epoch: number;
  readonly votes: readonly Vote[];
  readonly hasDeadCitation: boolean;
}

/** An artefact without its votes. */
export type ArtefactHead = Omit<Artefact, 'votes'>;

/** Rows and concerns are single facts: they need fewer votes, and approval instead of Wilson [L4]. */
export function isRow(type: ArtefactType): boolean {
  return type === 'volatile_value' || type === 'reference' || type === 'concern';
}

/** States in which votes are counted. */
export function takesVotes(state: Status): boolean {
  return state === 'alpha' || state === 'beta' || state === 'stable';
}

/** States that are over: nothing leads out of them, and nothing of the addresses is kept. */
export function isTerminal(state: Status): boolean {
  return state === 'retracted' || state === 'superseded';
}
