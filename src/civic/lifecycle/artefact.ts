import type { Status } from '../config.ts';

/** Types with a life cycle of their own; a path's sources belong to their path. */
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
  /** Semver; votes apply to one version. */
  readonly version: string;
  readonly state: Status;
  /** When it entered this state. */
  readonly enteredAt: number;
  /** The state that a quarantined artefact returns to. */
  readonly priorState: Status | undefined;
  /** Increases whenever the counts restart; a vote counts only in its own epoch. */
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

/** Final states: nothing leads out of them, and all address hashes are deleted. */
export function isTerminal(state: Status): boolean {
  return state === 'retracted' || state === 'superseded';
}
