/** Every limit of the proxy, in one place. */
export const PROXY_LIMITS = {
  /** Body of one request of a client. */
  bodyBytesMax: 4 * 1024 * 1024,
  /** Members of all objects and items of all lists in the arguments of one call, and how deep they may be nested. */
  argumentMembersMax: 20_000,
  argumentItemsMax: 100_000,
  argumentDepthMax: 100,
  /** A stdio line above this length is refused before its end. */
  endlessLineBytes: 256 * 1024 * 1024,
  /** What is still read of a body that is too large, so that its sender learns why. */
  discardedBytesMax: 64 * 1024 * 1024,
  /** An answer whose structured content is compared with the output schema of its tool. */
  checkedOutputBytesMax: 64 * 1024,
  /** Members of a batch (revision 2025-03-26). */
  batchMax: 50,
  /** Calls that run at once on a server, and calls that wait for one of them to end. */
  concurrencyMax: 64,
  stdioConcurrencyMax: 16,
  queueMax: 256,
  /** Idle time after which a session is evicted from memory; its id stays valid. */
  sessionIdleMs: 30 * 60_000,
  /** What a client declares at `initialize`, or with each request of revision 2026-07-28; a client beyond it is refused. */
  clientCapabilityBytesMax: 4 * 1024,
  clientCapabilityDepthMax: 32,
  /** `name` and `version` of `clientInfo`; nothing else of it is kept. */
  clientInfoBytesMax: 1024,
  /** Sessions in memory, of one caller and in all. Beyond it the caller's least recently used idle session is evicted; its id stays valid. */
  sessionsPerCallerMax: 2_000,
  sessionsMax: 10_000,
  /** How long a client has to answer a question. */
  questionTimeoutMs: 10 * 60_000,
  /** Calls that wait for the answers of 2026 clients, and how long each does. */
  heldCallsMax: 1_000,
  heldMs: 10 * 60_000,
  /** List changes within this time are sent as one notification. */
  changesGatherMs: 100,
  /** Questions that come within this time are asked together. */
  questionsGatherMs: 20,
  /** Rounds of questions that one call may take, and the pause before one that asks nothing. */
  inputRoundsMax: 10,
  inputRetryMs: 250,
  /** Comment that keeps an event stream open. */
  streamKeepAliveMs: 15_000,
  /** Streams that one session has open; beyond it the oldest is closed. */
  streamsPerSessionMax: 16,
  /** Messages that wait for a client that reads slowly, until its stream is ended. */
  streamBufferBytesMax: 4 * 1024 * 1024,
  /** What of an answer may wait for its client while the next request on its connection is taken. */
  unsentBeforeNextBytesMax: 64 * 1024,
  /** Requests that a connection may have under way at once, and those begun in one turn of the event loop of all that were sent together. */
  pipelinedMax: 16,
  pipelinedPerTurnMax: 32,
  /** What may wait for a stdio client that does not read. */
  stdioUnsentBytesMax: 64 * 1024 * 1024,
  /** All answers to one batch together; those that come beyond it are refused. */
  batchAnswerBytesMax: 16 * 1024 * 1024,
  /** Callers whose view of a profile is kept, where each has an own one. */
  privateViewsMax: 500,
  /** How long a call waits for its person to sign in: clients give up after a minute. */
  signInWaitMs: 50_000,
  /** How long lists of ours may be kept by a 2026 client that does not listen. */
  listTtlMs: 0,
  /** Tools that one client may have found and listed at once. */
  foundToolsMax: 200,
  /** Tools that an error names where several have the name that was called. */
  candidatesMax: 10,
  /** What is recorded of the name that a refused request had. */
  refusedNameCharsMax: 256,
  /** How often a waiting call polls for the decision of another process, and sends progress to its client. */
  approvalLookEveryMs: 500,
  approvalProgressEveryMs: 10_000,
  /** Calls that may wait for a person at once; a further one gets APPROVAL_PENDING at once. */
  approvalWaitingMax: 1_000,
  /** What calls that wait for a person hold in memory. */
  approvalWaitingBytesMax: 64 * 1024 * 1024,
  /** How long an approval for a session lasts at most. */
  approvalSessionMs: 8 * 60 * 60_000,
  /** The head of a request that is read without Node's parser, and what a client's clock may be late when it uses a connection again. */
  plainHeadBytesMax: 8 * 1024,
  keepAliveGraceMs: 1_000,
  /** Below this size an answer is one write with its head. */
  joinedAnswerBytesMax: 4 * 1024,
  /** How long a call waits for a database that another process writes, and the rest between two tries. */
  busyWaitMs: 5_000,
  busyRestMs: 100,
  /** Longest name that a client without a session gives itself. */
  clientNameCharsMax: 64,
} as const;
