/** All limits of the proxy. */
export const PROXY_LIMITS = {
  /** The part of a server's slots and of its queue that one caller with a key may use, so that the others are served. */
  callerShare: 0.75,
  /** Body of one client request. */
  bodyBytesMax: 4 * 1024 * 1024,
  /** Object members and list items in the arguments of one call, and their nesting depth. */
  argumentMembersMax: 20_000,
  argumentItemsMax: 100_000,
  argumentDepthMax: 100,
  /** A stdio line above this length is refused before its end. */
  endlessLineBytes: 256 * 1024 * 1024,
  /** How much of an oversized body is still read, so that its sender receives the refusal. */
  discardedBytesMax: 64 * 1024 * 1024,
  /** Larger answers are not checked against the output schema of their tool. */
  checkedOutputBytesMax: 64 * 1024,
  /** Members of a batch (revision 2025-03-26). */
  batchMax: 50,
  /** Calls that run at once on a server, and calls that wait in its queue. */
  concurrencyMax: 64,
  stdioConcurrencyMax: 16,
  queueMax: 256,
  /** Idle time after which a session is evicted from memory; its id stays valid. */
  sessionIdleMs: 30 * 60_000,
  /**
   * Capabilities that a client declares at `initialize`, or with each request of revision 2026-07-28; a client that exceeds it is
   * refused.
   */
  clientCapabilityBytesMax: 4 * 1024,
  clientCapabilityDepthMax: 32,
  /** `name` and `version` of `clientInfo`; the other members are not kept. */
  clientInfoBytesMax: 1024,
  /** Sessions in memory, per caller and in total. Above it the caller's least recently used idle session is evicted; its id stays valid. */
  sessionsPerCallerMax: 2_000,
  sessionsMax: 10_000,
  /** How long a client has to answer a question. */
  questionTimeoutMs: 10 * 60_000,
  /** Calls that wait for the answers of 2026 clients, and how long each waits. */
  heldCallsMax: 1_000,
  heldMs: 10 * 60_000,
  /** List changes within this time are sent as one notification. */
  changesGatherMs: 100,
  /** Questions within this time are asked together. */
  questionsGatherMs: 20,
  /** Rounds of questions in one call, and the pause before a round without questions. */
  inputRoundsMax: 10,
  inputRetryMs: 250,
  /** Interval of the comments that keep an event stream open. */
  streamKeepAliveMs: 15_000,
  /** Open streams per session; above it the oldest is closed. */
  streamsPerSessionMax: 16,
  /** Resource subscriptions of one session or stream, and of all sessions and streams of one caller; and the length of their URIs. */
  subscriptionsMax: 1_000,
  subscriptionsPerCallerMax: 10_000,
  subscribedUriCharsMax: 4_096,
  /** Unread messages of a slow client, before its stream is ended. */
  streamBufferBytesMax: 4 * 1024 * 1024,
  /** Unsent bytes of an answer up to which the next request on its connection is read. */
  unsentBeforeNextBytesMax: 64 * 1024,
  /** Requests with a larger body each start in their own turn of the event loop. */
  heavyBodyBytes: 16 * 1024,
  /** Requests with longer bodies share a byte budget until they are answered: all of them, and those of one caller. */
  largeBodyBytes: 64 * 1024,
  largeRequestsBytesMax: 40 * 1024 * 1024,
  largeRequestsBytesPerCallerMax: 20 * 1024 * 1024,
  /** Requests of one caller that wait for the budget, and how long each may wait. */
  largeRequestsWaitingMax: 256,
  largeRequestWaitMs: 30_000,
  /** How often bodies that pause are looked for while requests wait. */
  largeRequestsLookEveryMs: 500,
  /** Unanswered requests per connection, and how many pipelined requests start in one turn of the event loop. */
  pipelinedMax: 16,
  pipelinedPerTurnMax: 32,
  /** Unread output of a stdio client. */
  stdioUnsentBytesMax: 64 * 1024 * 1024,
  /** All answers to one batch together; answers beyond it are refused. */
  batchAnswerBytesMax: 16 * 1024 * 1024,
  /** Cached per-caller views of a profile. */
  privateViewsMax: 500,
  /** How long a call waits for a person to sign in: clients give up after a minute. */
  signInWaitMs: 50_000,
  /** How long a 2026 client that does not listen may cache our lists. */
  listTtlMs: 0,
  /** Found tools that are added to the listing of one client. */
  foundToolsMax: 200,
  /** Tools that an error lists if several have the called name. */
  candidatesMax: 10,
  /** Length of the message of a server's error. */
  errorMessageCharsMax: 4_000,
  /** Recorded length of the name in a refused request. */
  refusedNameCharsMax: 256,
  /** How often a waiting call polls for a decision of another process, and sends progress to its client. */
  approvalLookEveryMs: 500,
  approvalProgressEveryMs: 10_000,
  /** Calls that may wait for a person at once; another one gets APPROVAL_PENDING immediately. */
  approvalWaitingMax: 1_000,
  /** Total request bytes of calls that wait for a person. */
  approvalWaitingBytesMax: 64 * 1024 * 1024,
  /** Largest head that is read without Node's parser, and the tolerance when a client reuses a connection close to its timeout. */
  plainHeadBytesMax: 8 * 1024,
  keepAliveGraceMs: 1_000,
  /** Smaller answers leave with their head in one write. */
  joinedAnswerBytesMax: 4 * 1024,
  /** How long a write waits for a locked database, and the pause between two tries. */
  busyWaitMs: 5_000,
  busyPauseMs: 100,
  /** Longest value of the header by which a client without a session names itself. */
  clientNameCharsMax: 64,
} as const;
