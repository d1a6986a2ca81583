/** Bounds of the shared database's use, in one place. */
export const DATABASE_LIMITS = {
  /** Connections of one node, beside the one that listens. */
  connectionsMax: 10,
  /** A database that cannot be connected to in this time is out of reach. */
  connectTimeoutMs: 2_000,
  /** A query that is not answered in this time has failed. */
  queryTimeoutMs: 5_000,
  /** How often the connection that listens is asked whether it still stands: one that was cut silently says nothing by itself. */
  checkEveryMs: 5_000,
  /** The pause before the next try to connect doubles between these. */
  retryMsMin: 100,
  retryMsMax: 2_000,
} as const;
