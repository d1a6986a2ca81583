import type { Status } from '../config.ts';
import type { QueueClass, QueueItem } from './queue-item.ts';
import type { PiecePrint } from './text-prints.ts';

/** A maintainer who looks at an item, so that no other does the same work. */
export interface Claim {
  readonly by: string;
  readonly at: number;
}

/** What a decision changed that cannot be told afterwards. */
export interface BeforeDecision {
  readonly state?: Status | undefined;
  readonly priorState?: Status | undefined;
  readonly wasRemoved?: boolean | undefined;
}

/** What the sender of a submission may know of the decision about it. */
export interface Verdict {
  readonly decision: string;
  readonly reason?: string | undefined;
}

/** A branch, and a request to merge it, that stand for a queue item elsewhere. */
export interface Proposal {
  readonly branch: string;
  /** Name of the remote that it was pushed to. */
  readonly remote?: string | undefined;
  /** Number and address of the request at the forge, where there is one. */
  readonly number?: number | undefined;
  readonly url?: string | undefined;
  readonly path: string;
  /** The file before and after, apart from version and state: what it takes to undo the merge. */
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

/** What an erased text can be looked for by. */
export interface Erasure {
  /** Of the key that the prints were made with. */
  readonly check: string;
  readonly pieces: readonly PiecePrint[];
}

/** What the store keeps of the maintainers' work beside the queue itself. Belongs inside a transaction of the store. */
export interface ReviewStore {
  claim(queueId: string): Claim | undefined;
  /** Undefined: removes the claim. */
  setClaim(queueId: string, claim: Claim | undefined): void;
  before(queueId: string): BeforeDecision | undefined;
  setBefore(queueId: string, before: BeforeDecision | undefined): void;
  verdict(submissionId: string): Verdict | undefined;
  setVerdict(submissionId: string, verdict: Verdict | undefined): void;
  /** Decided items of a class, the latest first. */
  decided(queueClass: QueueClass, limit: number): readonly QueueItem[];
  /** The queue items about a submission, the latest first. */
  itemsAbout(submissionId: string): readonly QueueItem[];
  proposal(queueId: string): Proposal | undefined;
  setProposal(queueId: string, proposal: Proposal | undefined): void;
  proposedIds(): readonly string[];
  erasure(submissionId: string): Erasure | undefined;
  putErasure(submissionId: string, erasure: Erasure): void;
  scores(targetType: string, targetId: string): readonly ScoreCount[];
}
