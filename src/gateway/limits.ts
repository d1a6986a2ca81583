/** All limits of the gateway's decisions; search and identity have their own. */
export const GATEWAY_LIMITS = {
  /** Longest text of a span; the rest is truncated. */
  spanTextCharsMax: 256,
  /** A longer `tracestate` of a client is dropped. */
  tracestateCharsMax: 512,
  /** Cached decisions per set of policy layers. */
  judgementsKeptMax: 10_000,
  /** No system opens a longer text as a path. */
  pathCharsMax: 4_096,
  /** How many times a path may be percent-encoded. */
  percentDecodingsMax: 3,
  /** Characters of a URL in a longer text that are examined: a host is far shorter. */
  urlCharsMax: 2_048,
  /** Texts of one call that are judged as paths, and as URLs; a call with more is refused. */
  judgedTextsMax: 1_000,
  /** Size of a server's answer that is forwarded; the config can change it. */
  answerBytesMax: 8 * 1024 * 1024,
  /** A larger policy file is not read. The limit of a project's file is lower, because it is untrusted and read again at each change. */
  policyFileBytesMax: 4 * 1024 * 1024,
  projectPolicyBytesMax: 64 * 1024,
  /** Buckets of a call summary. */
  summaryBucketsMax: 500,
  /** Definition changes that one answer lists, and acceptances that are searched to find who accepted them. */
  definitionMomentsMax: 500,
  acceptancesReadMax: 1_000,
  /** Declared capabilities with more bytes of JSON are not part of the session id. */
  sessionCapabilityBytesMax: 300,
  /** A longer session id cannot be ours. */
  sessionIdCharsMax: 1_000,
  /** Characters of the arguments in one audit record, about; the longest texts are cut. The digest covers all of the arguments. */
  recordedArgumentsCharsMax: 256 * 1024,
  /** Conflicting names of a server that are shown. */
  conflictsShownMax: 100,
  /** Longest id that an imported server gets. */
  importedIdCharsMax: 64,
  /** Characters of the arguments that a client shows in an approval; the command and the API show all. */
  approvalShownCharsMax: 2_000,
  /** Maximum lifetime of an approval for a session. */
  approvalSessionMs: 8 * 60 * 60_000,
  /** Masked parts that an approval names. */
  approvalMaskedNamedMax: 10,
  /** Default lifetime of an approval, from its creation. */
  approvalExpiresMs: 600_000,
  /** Default time that a call waits for approval; less than the minute after which clients give up. */
  approvalWaitMs: 50_000,
  /** Pending approvals of one caller; for callers without a key, of one session or client. */
  approvalsPendingPerCallerMax: 100,
  /** Pending approvals of all callers without a key, so that callers with a key keep their share. */
  approvalsPendingSharedMax: 500,
  /** Pending approvals of all callers. */
  approvalsPendingMax: 1_000,
  /** Stored bytes of one caller's pending approvals. */
  approvalsPendingBytesPerCallerMax: 16 * 1024 * 1024,
  /** Stored bytes of the pending approvals of all callers without a key. */
  approvalsPendingBytesSharedMax: 32 * 1024 * 1024,
  /** Stored bytes of all pending approvals. */
  approvalsPendingBytesMax: 64 * 1024 * 1024,
} as const;
