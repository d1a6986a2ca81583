import type { Status } from '../config.ts';
import type { QueueClass, QueueItem } from './queue-item.ts';
import type { PiecePrint } from './text-prints.ts';

/** A maintainer who works on an item, so that others do not. */
export interface Claim {
  readonly by: string;
  readonly at: number;
}

/** State that a decision destroys. */
export interface BeforeDecision {
  readonly state?: Status | undefined;
  readonly priorState?: Status | undefined;
  readonly wasRemoved?: boolean | undefined;
}

/** What the sender of a submission may know about its decision. */
export interface Verdict {
  readonly decision: string;
  readonly reason?: string | undefined;
}

/** The branch and the merge request of a queue item. */
export interface Proposal {
  readonly branch: string;
  /** The remote that it was pushed to. */
  readonly remote?: string | undefined;
  /** Number and URL of the request at the forge, if there is one. */
  readonly number?: number | undefined;
  readonly url?: string | undefined;
  readonly path: string;
  /** The file before and after, without changes of version and state: needed to revert the merge. */
  readonly before: string;
  readonly after: string;
  readonly version: string;
  /** The artefact's state before the merge. */
  readonly priorState: string;
}

/** How often a score was given. */
export interface ScoreCount {
  readonly axis: string;
  readonly score: number;
  readonly count: number;
}

/** Prints to search for an erased text. */
export interface Erasure {
  /** Identifies the key of the prints. */
  readonly check: string;
  readonly pieces: readonly PiecePrint[];
}

/** Stored review data, besides the queue itself. Call it inside a transaction of the store. */
export interface ReviewStore {
  claim(queueId: string): Claim | undefined;
  /** Undefined: removes the claim. */
  setClaim(queueId: string, claim: Claim | undefined): void;
  before(queueId: string): BeforeDecision | undefined;
  setBefore(queueId: string, before: BeforeDecision | undefined): void;
  verdict(submissionId: string): Verdict | undefined;
  setVerdict(submissionId: string, verdict: Verdict | undefined): void;
  /** Decided items of a class, latest first. */
  decided(queueClass: QueueClass, limit: number): readonly QueueItem[];
  /** The queue items about a submission, latest first. */
  itemsAbout(submissionId: string): readonly QueueItem[];
  proposal(queueId: string): Proposal | undefined;
  setProposal(queueId: string, proposal: Proposal | undefined): void;
  proposedIds(): readonly string[];
  erasure(submissionId: string): Erasure | undefined;
  /** Submissions whose text was erased. */
  erasedIds(): ReadonlySet<string>;
  erasedCount(): number;
  putErasure(submissionId: string, erasure: Erasure): void;
  scores(targetType: string, targetId: string): readonly ScoreCount[];
}
