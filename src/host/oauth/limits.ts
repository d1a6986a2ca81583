/** Every limit of signing in to servers, in one place. */
export const OAUTH_LIMITS = {
  metadataBytesMax: 256 * 1024,
  /** A longer challenge is none: no head of a response is longer. */
  challengeCharsMax: 16 * 1024,
  httpTimeoutMs: 15_000,
  /** How long a person has to sign in. */
  signInTimeoutMs: 180_000,
  /** A token is renewed this long before it expires. */
  renewBeforeMs: 60_000,
  /** One that does not live for long is renewed in the last part of its life: a tenth. */
  renewBeforePart: 10,
  /** Waiting for another process that renews. */
  lockWaitMs: 60_000,
  lockPollMs: 200,
  /** How long the lock of a process that was killed is respected. */
  lockStaleMs: 10_000,
  authorizationServersMax: 5,
  scopesMax: 100,
  /** How much of the scopes that a call needs an error shows. */
  shownScopeChars: 500,
  /** How much of the content type of an answer is shown. */
  shownTypeChars: 100,
  pastedTextMax: 8_192,
} as const;
