/** Limits of the shared database. */
export const DATABASE_LIMITS = {
  /** Pool size of a node; the listening connection comes on top. */
  connectionsMax: 10,
  /** Timeout of a connection attempt. */
  connectTimeoutMs: 2_000,
  /** How long close() waits for connections to end. */
  closeTimeoutMs: 1_000,
  /** Timeout of a query. */
  queryTimeoutMs: 5_000,
  /** The database aborts a transaction that is idle for so long: its node has vanished, and others wait for its locks. */
  idleInTransactionMs: 10_000,
  /** How often the listening connection is probed: a silently cut one reports nothing. */
  checkEveryMs: 5_000,
  /** Reconnects back off exponentially between these. */
  retryMsMin: 100,
  retryMsMax: 2_000,
  /** How often a node checks its copy for local changes (commands write to the file too), and how many rows it ships at once. */
  shipEveryMs: 200,
  shipRowsMax: 500,
} as const;

/** Limits of the communication between nodes. */
export const NODE_LIMITS = {
  /** Interval of a node's heartbeat. */
  beatEveryMs: 2_000,
  /** How often a node purges shared data: old keys, ended sessions, undelivered messages. */
  upkeepEveryMs: 30_000,
  /** A node without a heartbeat for so long counts as gone. */
  goneAfterMs: 8_000,
  /** Messages expire after this time. */
  messageMs: 60_000,
  /** Messages that a node takes at once. */
  takenMax: 100,
  /** How long a session at a server can be resumed; no client session lives longer. */
  upstreamSessionMs: 24 * 60 * 60_000,
  /** Age at which the signing key for session ids is rotated. It must exceed the lifetime of a session. */
  rotateKeysMs: 7 * 24 * 60 * 60_000,
  /** Nodes sign with a new key only after this time, so that every node has loaded it. */
  settleKeyMs: 60_000,
} as const;

/** Limits of shipping the audit log. */
export const AUDIT_LIMITS = {
  /** How often a node checks for records to ship. */
  shipEveryMs: 100,
  /** How often it checks the chains of other processes of this node. */
  othersEveryMs: 2_000,
  /** Records shipped at once. */
  shipRows: 500,
  /** How long, and for how many unshipped records, calls go on without the database. */
  waitMs: 60_000,
  recordsMax: 100_000,
  /** Records read at once. */
  readRows: 5_000,
} as const;
