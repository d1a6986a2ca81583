/** Every limit of the gateway's decisions, in one place; search and identity have their own. */
export const GATEWAY_LIMITS = {
  /** Longest text of a span; the rest is cut. */
  spanTextCharsMax: 256,
  /** A longer `tracestate` of a client is dropped. */
  tracestateCharsMax: 512,
  /** Judgements that are kept of the same layers of policy. */
  judgementsKeptMax: 10_000,
  /** Longer texts no system opens as a path. */
  pathCharsMax: 4_096,
  /** How often a path may be percent-encoded, one encoding in the other. */
  percentDecodingsMax: 3,
  /** Characters of a URL in a longer text that are looked at: a host is far shorter. */
  urlCharsMax: 2_048,
  /** Signs of an address (dots, colons, slashes, `@`) in a text that is searched for addresses; a text with more is refused. */
  addressSignsMax: 200_000,
  /** Texts of one call that are looked at as paths, and as URLs; a call with more is refused. */
  judgedTextsMax: 1_000,
  /** An answer of a server that is passed on, unless the config names another size. */
  answerBytesMax: 8 * 1024 * 1024,
  /** A larger policy file is not read; that of a project, which nobody may trust yet, is smaller: it is read again whenever it changes. */
  policyFileBytesMax: 4 * 1024 * 1024,
  projectPolicyBytesMax: 64 * 1024,
  /** Parts into which a summary of calls divides its range. */
  summaryBucketsMax: 500,
  /** Changes of definitions that one answer lists, and acceptances of all servers that are looked through for who accepted them. */
  definitionMomentsMax: 500,
  acceptancesReadMax: 1_000,
  /** Declared capabilities longer than this many bytes of JSON do not travel in the session id. */
  sessionCapabilityBytesMax: 300,
  /** A longer session id is none of ours. */
  sessionIdCharsMax: 1_000,
  /** Names of a server that are shown as another's. */
  conflictsShownMax: 100,
  /** Longest id that an imported server gets. */
  importedIdCharsMax: 64,
  /** Characters of the arguments that a question for approval shows in a client; the command and the API show all. */
  approvalShownCharsMax: 2_000,
  /** Masked parts that a question names. */
  approvalMaskedNamedMax: 10,
  /** Default life of an approval, from the moment it was asked for, whatever happens. */
  approvalExpiresMs: 600_000,
  /** Default time that a call waits for a person; below the minute after which clients give up. */
  approvalWaitMs: 50_000,
  /** Calls of one caller that wait for a decision at once; among callers without a key, of one session or client. */
  approvalsPendingPerCallerMax: 100,
  /** Calls of all callers without a key of their own that wait for a decision at once: those with one keep their room. */
  approvalsPendingSharedMax: 500,
  /** Calls of all callers that wait for a decision at once. */
  approvalsPendingMax: 1_000,
  /** What is kept of the calls of one caller that wait for a decision. */
  approvalsPendingBytesPerCallerMax: 16 * 1024 * 1024,
  /** What is kept of the calls of all callers without a key that wait for a decision. */
  approvalsPendingBytesSharedMax: 32 * 1024 * 1024,
  /** What is kept of all calls that wait for a decision. */
  approvalsPendingBytesMax: 64 * 1024 * 1024,
} as const;
