/** All limits of signing in to servers. */
export const OAUTH_LIMITS = {
  metadataBytesMax: 256 * 1024,
  /** A longer challenge is ignored: no response head is longer. */
  challengeCharsMax: 16 * 1024,
  httpTimeoutMs: 15_000,
  /** How long a person has to sign in. */
  signInTimeoutMs: 180_000,
  /** A token is renewed this long before it expires. */
  renewBeforeMs: 60_000,
  /** A short-lived token is renewed in the last tenth of its lifetime. */
  renewBeforePart: 10,
  /** How long to wait for another process that renews. */
  lockWaitMs: 60_000,
  lockPollMs: 200,
  /** How long the lock of a process on another machine is respected without a refresh. */
  lockStaleMs: 10_000,
  authorizationServersMax: 5,
  scopesMax: 100,
  /** Characters of the required scopes that an error shows. */
  shownScopeChars: 500,
  /** Characters of an answer's content type that are shown. */
  shownTypeChars: 100,
  pastedTextMax: 8_192,
} as const;
