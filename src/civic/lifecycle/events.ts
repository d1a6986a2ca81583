import type { Status } from '../config.ts';
import type { ArtefactType, Verdict } from './artefact.ts';
import type { TraversalOutcome } from './source-health.ts';

/** What happened to an artefact, without a trace of who did it [L12]. */
export type LifecycleChange =
  /** It was found in the folder, or inserted: version and state are the file's. */
  | { readonly kind: 'adopted'; readonly version: string; readonly state: Status }
  /** `replaces`: the earlier vote of the same address, by its event. */
  | { readonly kind: 'vote'; readonly verdict: Verdict; readonly counted: boolean; readonly replaces?: number }
  | { readonly kind: 'flag'; readonly counted: boolean }
  /** A clock job that changed something. */
  | { readonly kind: 'evaluated' }
  | { readonly kind: 'decided'; readonly decision: 'dismiss' | 'uphold' | 'accept' }
  | { readonly kind: 'merged'; readonly version: string; readonly editorial: boolean }
  | { readonly kind: 'superseded' }
  /** The salt of a stable artefact's review window was replaced: its votes no longer count. */
  | { readonly kind: 'window_renewed' }
  | { readonly kind: 'citations_checked'; readonly dead: boolean }
  | { readonly kind: 'traversed'; readonly source: string; readonly outcome: TraversalOutcome };

export type LifecycleEvent = LifecycleChange & {
  readonly seq: number;
  readonly at: number;
  readonly type: ArtefactType;
  readonly id: string;
};
