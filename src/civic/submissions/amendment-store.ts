import type { ArtefactType, Verdict } from '../lifecycle/artefact.ts';
import type { FiledType } from './corpus-change.ts';
import type { SubmissionRecord } from './submission-record.ts';

/** A vote on an amendment that waits for agreement. The author has a row too, which blocks a vote of their own. */
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

/** A merge with everything needed to undo it. */
export interface MergeRecord {
  readonly submissionId: string;
  readonly type: FiledType;
  readonly id: string;
  readonly mergedAt: number;
  /** The version that the merge created. */
  readonly version: string;
  /** The artefact's state before the merge. */
  readonly priorState: string;
  /** The file before and after, without changes of version and state. */
  readonly before: string;
  readonly after: string;
  /** False: a maintainer approved it. */
  readonly automatic: boolean;
  readonly revertedAt: number | undefined;
}

/** Stored data about amendments, besides the submission itself. Call it inside a transaction of the store. */
export interface AmendmentStore {
  votes(submissionId: string): readonly AmendmentVote[];
  /** A later vote of the same voter replaces the earlier one. */
  putVote(submissionId: string, vote: AmendmentVote): void;
  wait(submissionId: string): AmendmentWait | undefined;
  putWait(submissionId: string, wait: AmendmentWait): void;
  /** Deletes the votes and the wait of an amendment that has ended. */
  forget(submissionId: string): void;

  /** Why a submission ended without taking effect, unless a maintainer decided so. */
  setOutcome(submissionId: string, code: string): void;
  outcome(submissionId: string): string | undefined;

  recordMerge(merge: MergeRecord): void;
  merge(submissionId: string): MergeRecord | undefined;
  /** Latest first. */
  merges(limit: number): readonly MergeRecord[];
  /** Counts merges without review since an instant: of one artefact, or of the whole corpus. */
  automaticMerges(since: number, artefact?: { readonly type: FiledType; readonly id: string }): number;
  /** Merges of an artefact since an instant that were neither reviewed nor undone; latest first. */
  unreviewed(artefact: { readonly type: FiledType; readonly id: string }, since: number): readonly MergeRecord[];
  /** A maintainer reviewed the merge and kept it. */
  markReviewed(submissionId: string): void;
  markReverted(submissionId: string, at: number): void;

  /** Rewrites the stored before and after texts of merges of some artefacts. */
  rewriteMerges(isMeant: (type: FiledType, id: string) => boolean, rewrite: (text: string) => string): void;

  /** Submissions of one sender and day share a batch id. It contains no address and is deleted after a month. */
  setBatch(submissionId: string, batch: string): void;
  forgetBatches(before: number): void;
  /** Staged amendments from the session or the batch of this submission. */
  stagedBeside(submissionId: string): readonly SubmissionRecord[];
  /** Staged amendments of an artefact, or of all artefacts, in order of receipt. */
  staged(
    target: { readonly type: string; readonly id: string } | undefined,
    limit: number,
  ): readonly SubmissionRecord[];

  /** Counts quarantines by flags since an instant. */
  quarantines(since: number): number;
  recordQuarantine(type: ArtefactType, id: string, at: number): void;
}
