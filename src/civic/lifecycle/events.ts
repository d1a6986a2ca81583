import type { Status } from '../config.ts';
import type { ArtefactType, Verdict } from './artefact.ts';
import type { TraversalOutcome } from './source-health.ts';

/** Events of an artefact, without any trace of persons [L12]. */
export type LifecycleChange =
  /** Found in the folder, or inserted; version and state come from the file. */
  | { readonly kind: 'adopted'; readonly version: string; readonly state: Status }
  /** `replaces`: the event of the same address's earlier vote. */
  | { readonly kind: 'vote'; readonly verdict: Verdict; readonly counted: boolean; readonly replaces?: number }
  | { readonly kind: 'flag'; readonly counted: boolean }
  /** A scheduled evaluation that changed something. */
  | { readonly kind: 'evaluated' }
  | { readonly kind: 'decided'; readonly decision: 'dismiss' | 'uphold' | 'accept' }
  | { readonly kind: 'merged'; readonly version: string; readonly editorial: boolean }
  | { readonly kind: 'superseded' }
  /** The salt of a stable artefact's review window was renewed: its votes no longer count. */
  | { readonly kind: 'window_renewed' }
  | { readonly kind: 'citations_checked'; readonly dead: boolean }
  | { readonly kind: 'traversed'; readonly source: string; readonly outcome: TraversalOutcome };

export type LifecycleEvent = LifecycleChange & {
  readonly seq: number;
  readonly at: number;
  readonly type: ArtefactType;
  readonly id: string;
};
