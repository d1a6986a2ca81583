import type { ArtefactType, Verdict } from '../lifecycle/artefact.ts';
import type { FiledType } from './corpus-change.ts';
import type { SubmissionRecord } from './submission-record.ts';

/** A vote on an amendment that waits for agreement; the author's own row keeps the author from voting. */
export interface AmendmentVote {
  readonly voter: string;
  readonly verdict: Verdict | 'author';
  readonly at: number;
}

/** Why an amendment did not merge when its staging ended. */
export interface AmendmentWait {
  readonly gate: 'consensus' | 'maintainer';
  readonly since: number;
}

/** A merge as it happened, which is what it takes to undo it. */
export interface MergeRecord {
  readonly submissionId: string;
  readonly type: FiledType;
  readonly id: string;
  readonly mergedAt: number;
  /** The version that the merge made. */
  readonly version: string;
  /** The artefact's state before the merge. */
  readonly priorState: string;
  /** The file before and after, apart from version and state. */
  readonly before: string;
  readonly after: string;
  /** False: a maintainer let it through. */
  readonly automatic: boolean;
  readonly revertedAt: number | undefined;
}

/** What the store keeps of amendments beside the submission itself. Belongs inside a transaction of the store. */
export interface AmendmentStore {
  votes(submissionId: string): readonly AmendmentVote[];
  /** A later vote of the same voter replaces the earlier one. */
  putVote(submissionId: string, vote: AmendmentVote): void;
  wait(submissionId: string): AmendmentWait | undefined;
  putWait(submissionId: string, wait: AmendmentWait): void;
  /** Forgets votes and wait of an amendment that is settled. */
  forget(submissionId: string): void;

  /** Why a submission ended without taking effect, where no maintainer said so. */
  setOutcome(submissionId: string, code: string): void;
  outcome(submissionId: string): string | undefined;

  recordMerge(merge: MergeRecord): void;
  merge(submissionId: string): MergeRecord | undefined;
  /** The latest first. */
  merges(limit: number): readonly MergeRecord[];
  /** Counts merges since an instant that no maintainer looked at: of one artefact, or of the whole corpus. */
  automaticMerges(since: number, artefact?: { readonly type: FiledType; readonly id: string }): number;
  /** Merges of an artefact since an instant that no maintainer looked at and that were not undone; the latest first. */
  unreviewed(artefact: { readonly type: FiledType; readonly id: string }, since: number): readonly MergeRecord[];
  /** A maintainer looked at the merge and let it stand. */
  markReviewed(submissionId: string): void;
  markReverted(submissionId: string, at: number): void;

  /** Rewrites the texts that the store keeps from before and after merges of some artefacts. */
  rewriteMerges(isMeant: (type: FiledType, id: string) => boolean, rewrite: (text: string) => string): void;

  /** Submissions of one sender and day share a batch; it holds no address and is forgotten after a month. */
  setBatch(submissionId: string, batch: string): void;
  forgetBatches(before: number): void;
  /** Amendments that wait and come from the session or the batch of this submission. */
  stagedBeside(submissionId: string): readonly SubmissionRecord[];
  /** Staged amendments of an artefact, or of all of them, in the order of receipt. */
  staged(
    target: { readonly type: string; readonly id: string } | undefined,
    limit: number,
  ): readonly SubmissionRecord[];

  /** Quarantines by flags since an instant. */
  quarantines(since: number): number;
  recordQuarantine(type: ArtefactType, id: string, at: number): void;
}
