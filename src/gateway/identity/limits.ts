/** All limits of identities. */
export const IDENTITY_LIMITS = {
  /** A longer bearer token is rejected unread. */
  tokenCharsMax: 8_192,
  /** The largest tolerated clock difference to an authorization server. */
  clockToleranceS: 10,
  /** Verified tokens that are cached. */
  verifiedTokensMax: 10_000,
  /** The longest time that a token is cached, however long it is valid: a withdrawn key counts no longer than this. */
  verifiedMsMax: 10 * 60_000,
  /** For an unknown key, the keys of an authorization server are fetched again, but not more often than this. */
  jwksCooldownMs: 30_000,
  jwksMaxAgeMs: 10 * 60_000,
  /** How long to wait before contacting an unreachable authorization server again. */
  discoveryRetryMs: 5_000,
  httpTimeoutMs: 5_000,
  metadataBytesMax: 256 * 1024,
  /** The readable part of a caller's name. */
  callerCharsMax: 64,
} as const;
