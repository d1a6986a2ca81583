/** Every limit of identities, in one place. */
export const IDENTITY_LIMITS = {
  /** A longer bearer token is not looked at. */
  tokenCharsMax: 8_192,
  /** How far the clock of an authorization server may be from ours. */
  clockToleranceS: 10,
  /** Tokens whose signature was found right and need not be checked again. */
  verifiedTokensMax: 10_000,
  /** How long that holds at most, however long the token does: a key that was withdrawn counts no longer than this. */
  verifiedMsMax: 10 * 60_000,
  /** The keys of an authorization server are fetched again for an unknown one, but not more often than this. */
  jwksCooldownMs: 30_000,
  jwksMaxAgeMs: 10 * 60_000,
  /** How long an authorization server that could not be reached is left alone. */
  discoveryRetryMs: 5_000,
  httpTimeoutMs: 5_000,
  metadataBytesMax: 256 * 1024,
  /** Readable part of a caller's name. */
  callerCharsMax: 64,
} as const;
