/** What the store keeps of concerns beside the submission itself. Belongs inside a transaction of the store. */
export interface ConcernStore {
  /** Whether this many concerns about a target were taken or held since an instant. */
  hasReceived(targetType: string, targetId: string, count: number, since: number): boolean;
  /** The concern that says the same, by the digest of what it says. */
  sameAs(digest: string): string | undefined;
  remember(digest: string, concernId: string): void;
  /** The submission says what a listed concern says: it is counted there and not listed again. */
  join(submissionId: string, concernId: string): void;
  joinedTo(submissionId: string): string | undefined;
  joined(concernId: string): readonly string[];
  /** The open question about a burst of concerns on a target. */
  burstOf(targetType: string, targetId: string): string | undefined;
  addToBurst(submissionId: string, queueId: string): void;
  /** Moves all but the first of a question's concerns to another question. */
  moveBurst(queueId: string, kept: number, toQueueId: string): void;
  inBurst(queueId: string): readonly string[];
  /** Later concerns do not join this one. */
  forget(concernId: string): void;
}
