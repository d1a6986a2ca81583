/** Every limit of what is kept, in one place. */
export const STORE_LIMITS = {
  /** Processes that can write an audit log in one data directory at once. */
  auditSlotsMax: 1_024,
  /** After so many records it is noted again up to where all calls have ended; a start looks at those that follow. */
  auditSettleEvery: 10_000,
  /** Pages of 4 KiB in the write-ahead log of an audit log: when it is begun to put them into their place, and how many there may be before writing rests for it. */
  auditWalEmptyPages: 1_000,
  auditWalPagesMax: 16_384,
  /** How often it is looked whether the file of an audit log is still there. */
  auditLookEveryMs: 500,
  /** Rows that are kept of the sessions of one caller, and how many stay when there are more: those that ended, and those whose id is too short for their capabilities. */
  sessionRowsPerCallerMax: 2_000,
  sessionRowsKeptAtEviction: 1_800,
  /** Searches of the audit log that wait for each other, how long their thread stays without one, and the memory of a thread that reads the log. */
  auditSearchesWaitingMax: 64,
  auditSearchIdleMs: 30_000,
  auditReadingMbMax: 256,
  /** Characters of the records of one page; beyond it arguments are left out. */
  auditPageChars: 8 * 1024 * 1024,
  /** Records that an export reads at once: so many, or less where they are long. */
  auditExportRows: 500,
  auditExportChars: 1024 * 1024,
  /** Token counts that are remembered, and those of whole lists, which are not read each time. */
  tokenCountsMax: 100_000,
  tokenCountsInMemoryMax: 32,
  /** Tasks of one caller of which it is known who began them. */
  tasksPerOwnerMax: 1_000,
  /** How long one process waits for another that writes the same database. */
  busyTimeoutMs: 5000,
  /** The same where the event loop waits with it: whoever needs it longer tries again. */
  busyLoopMs: 50,
  /** A look at whether a lock is held is over in this time. */
  lockLookMs: 500,
  /** Messages for webhooks that wait to be delivered; more are dropped and logged. */
  webhookOutboxMax: 1_000,
} as const;
