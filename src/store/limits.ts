/** Every limit of the store. */
export const STORE_LIMITS = {
  /** Processes that can write an audit log in one data directory at once. */
  auditSlotsMax: 1_024,
  /** Records between two updates of the mark up to which all calls have ended; a start scans the records behind the mark. */
  auditSettleEvery: 10_000,
  /** Pages of 4 KiB in the WAL of an audit file: from how many it is checkpointed, and at how many writing pauses for that. */
  auditWalCheckpointPages: 1_000,
  auditWalPagesMax: 16_384,
  /** How often the audit writer checks that its file still exists. */
  auditLookEveryMs: 500,
  /**
   * Session rows stored per caller (ended sessions, and sessions whose id has no room for their capabilities), and how many an eviction
   * leaves.
   */
  sessionRowsPerCallerMax: 2_000,
  sessionRowsKeptAtEviction: 1_800,
  /** Searches of the audit log that may queue, how long their idle thread lives, and the heap of a thread that reads the log. */
  auditSearchesWaitingMax: 64,
  auditSearchIdleMs: 30_000,
  auditReadingMbMax: 256,
  /** Characters of all records on one page; beyond it arguments are left out. */
  auditPageChars: 8 * 1024 * 1024,
  /** Records that an export reads at once: at most so many rows, and about so many characters. */
  auditExportRows: 500,
  auditExportChars: 1024 * 1024,
  /** Calls that one summary reads, newest first. */
  auditSummaryRows: 200_000,
  /** Rows of a server's tools that are written in one turn of the event loop. */
  rowsAtOnce: 500,
  /** Token counts in the database, and those cached in memory. */
  tokenCountsMax: 100_000,
  tokenCountsInMemoryMax: 32,
  /** Tasks per caller whose owner is stored. */
  tasksPerOwnerMax: 1_000,
  /** How long the id of a task belongs to its first caller; later, a server may reuse it for another caller. */
  taskOwnedMs: 7 * 86_400_000,
  /** How long a process waits for another one that writes the same database. */
  busyTimeoutMs: 5000,
  /** The same while it blocks the event loop; the operation is retried instead. */
  busyLoopMs: 50,
  /** How long to wait for a probe of a lock to end. */
  lockLookMs: 500,
  /** Webhook messages that wait for delivery; further ones are dropped and logged. */
  webhookOutboxMax: 1_000,
} as const;
