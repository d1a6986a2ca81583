/** Bounds of the shared database's use, in one place. */
export const DATABASE_LIMITS = {
  /** Connections of one node, beside the one that listens. */
  connectionsMax: 10,
  /** A database that cannot be connected to in this time is out of reach. */
  connectTimeoutMs: 2_000,
  /** Connections have this time to end in good order. */
  closeTimeoutMs: 1_000,
  /** A query that is not answered in this time has failed. */
  queryTimeoutMs: 5_000,
  /** A transaction in which nothing is asked for so long is ended by the database: its node has vanished, and others wait for its locks. */
  idleInTransactionMs: 10_000,
  /** How often the connection that listens is asked whether it still stands: one that was cut silently says nothing by itself. */
  checkEveryMs: 5_000,
  /** The pause before the next try to connect doubles between these. */
  retryMsMin: 100,
  retryMsMax: 2_000,
  /** How often a node's copy is looked at for its own changes (commands write to the file too), and how many leave at once. */
  shipEveryMs: 200,
  shipRowsMax: 500,
} as const;

/** Bounds of what nodes tell each other. */
export const NODE_LIMITS = {
  /** How often a node says that it is there. */
  beatEveryMs: 2_000,
  /** How often a node purges what it shares with others: old keys, ended sessions, undelivered messages. */
  upkeepEveryMs: 30_000,
  /** A node that was not heard of for so long is gone. */
  goneAfterMs: 8_000,
  /** Messages expire after this time. */
  messageMs: 60_000,
  /** Messages that are taken at once. */
  takenMax: 100,
  /** A session at a server is gone on with for so long; no session of a client lives longer. */
  upstreamSessionMs: 24 * 60 * 60_000,
  /** A new key for session ids is made when the present one is so old. It must be longer than a session lives. */
  rotateKeysMs: 7 * 24 * 60 * 60_000,
  /** A new key signs only when every node had this time to learn of it. */
  settleKeyMs: 60_000,
} as const;

/** Bounds of what a node keeps to itself of the audit log. */
export const AUDIT_LIMITS = {
  /** How often it is looked whether something waits to be shipped. */
  shipEveryMs: 100,
  /** How often the chains of other processes of this node are looked at. */
  othersEveryMs: 2_000,
  /** Records that are shipped at once. */
  shipRows: 500,
  /** Calls go on without the database for so long, and for so many records. */
  waitMs: 60_000,
  recordsMax: 100_000,
  /** Records that are read at once. */
  readRows: 5_000,
} as const;
