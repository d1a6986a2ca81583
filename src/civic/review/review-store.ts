import type { Status } from '../config.ts';
import type { QueueClass, QueueItem } from './queue-item.ts';

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

/** How often a score was given. */
export interface ScoreCount {
  readonly axis: string;
  readonly score: number;
  readonly count: number;
}

/** What the store keeps of the maintainers' work beside the queue itself. Belongs inside a transaction of the store. */
export interface ReviewStore {
  claim(queueId: string): Claim | undefined;
  /** Undefined: nobody's any more. */
  setClaim(queueId: string, claim: Claim | undefined): void;
  before(queueId: string): BeforeDecision | undefined;
  setBefore(queueId: string, before: BeforeDecision | undefined): void;
  verdict(submissionId: string): Verdict | undefined;
  setVerdict(submissionId: string, verdict: Verdict | undefined): void;
  /** Decided items of a class, the latest first. */
  decided(queueClass: QueueClass, limit: number): readonly QueueItem[];
  /** The queue items about a submission, the latest first. */
  itemsAbout(submissionId: string): readonly QueueItem[];
  scores(targetType: string, targetId: string): readonly ScoreCount[];
}
