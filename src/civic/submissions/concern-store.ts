/** Stored data about concerns, besides the submission itself. Call it inside a transaction of the store. */
export interface ConcernStore {
  /** Whether at least `count` concerns about a target were accepted or held since an instant. */
  hasReceived(targetType: string, targetId: string, count: number, since: number): boolean;
  /** The concern with the same content, by digest. */
  sameAs(digest: string): string | undefined;
  remember(digest: string, concernId: string): void;
  /** Counts the submission towards a listed concern with the same content, instead of listing it again. */
  join(submissionId: string, concernId: string): void;
  joinedTo(submissionId: string): string | undefined;
  joined(concernId: string): readonly string[];
  /** The open queue item about a burst of concerns on a target. */
  burstOf(targetType: string, targetId: string): string | undefined;
  addToBurst(submissionId: string, queueId: string): void;
  /** Moves all but the first `kept` concerns of a queue item to another one. */
  moveBurst(queueId: string, kept: number, toQueueId: string): void;
  inBurst(queueId: string): readonly string[];
  /** Later concerns no longer join this one. */
  forget(concernId: string): void;
}
