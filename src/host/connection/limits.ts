/** Every limit of connections to servers, in one place. */
export const CONNECTION_LIMITS = {
  requestTimeoutMs: 30_000,
  startupTimeoutMs: 60_000,
  /** A start that waits for longer says what for; after a while it is also logged. */
  waitSaidMs: 5_000,
  slowStartMs: 15_000,
  toolTimeoutMaxMs: 600_000,
  /** How long a stdio server may leave the probe unanswered before `initialize` is sent as well. */
  probeSilenceMs: 3_000,

  /** One JSON-RPC message from a server: a line, an event, a body. */
  messageBytesMax: 16 * 1024 * 1024,
  /** Large answers of one server that are read at once; the others wait on their connections. */
  largeBodiesMax: 6,
  /** A line of a child that goes on for longer has no end. */
  endlessLineBytes: 256 * 1024 * 1024,
  batchMessagesMax: 50,
  /** What is read of the body of an HTTP error. */
  errorBodyBytesMax: 64 * 1024,
  /** What of it goes into a message. */
  errorTextMax: 500,
  /** What of a failure is kept as the reason of a state. */
  reasonTextMax: 4_000,
  redirectsMax: 5,
  /** How often one request is sent again after a 401 or 403. */
  challengesMax: 4,
  connectTimeoutMs: 10_000,
  /** How long an idle connection is used at most, and where its server does not say how long it keeps one (uvicorn: five seconds). */
  keepAliveMs: 30_000,
  keepAliveUnannouncedMs: 2_500,
  /** An idle connection is closed so long before its server would. */
  keepAliveMarginMs: 1_000,
  /** A connection that was idle for so long may have been closed: what came on it is read before a request is written. */
  idleCheckMs: 100,
  /** What the heads of one response may weigh together, interim ones (1xx) included, and how many fields each has: as Node's. */
  headBytesMax: 16 * 1024,
  headFieldsMax: 2_000,
  interimHeadsMax: 16,
  /** What `Retry-After` may say. */
  retryAfterCharsMax: 64,
  retryAfterMaxMs: 86_400_000,
  /** A line with the size of a chunk, or a trailer. */
  chunkLineBytesMax: 4 * 1024,

  /** The tail of stderr that is kept. */
  stderrBytesMax: 16 * 1024,
  /** Burst of stderr that is read at once; a server that writes more is throttled to this rate. */
  stderrBurstBytes: 32 * 1024 * 1024,
  stderrBytesPerSecond: 2 * 1024 * 1024,
  /** What is kept of the first stdout line that is no message. */
  noiseLineTextMax: 200,
  /** Unsolicited messages (log lines, notifications) per window before the server is disconnected. */
  unaskedMessagesMax: 10_000,
  unaskedWindowMs: 10_000,
  /**
   * From so many on lines of its log are left out, and it is read slowly, in small pieces; where one of them was about full, nothing
   * is read for a while after it.
   */
  noisyMessagesMax: 1_000,
  noisyPieceBytes: 16 * 1024,
  noisyFullBytes: 8 * 1024,
  noisyRestMs: 12,
  /** Input that a child has not read. */
  unreadInputBytesMax: 32 * 1024 * 1024,

  /** How long the spawner has to start a child. */
  processStartMs: 20_000,
  /** Waiting for a child: after stdin was closed, and after SIGTERM. */
  stdinCloseGraceMs: 1_000,
  lastWordsMs: 200,
  terminateGraceMs: 2_000,

  /** How long a stream may stay open after its request was answered. */
  streamLingerMs: 1_000,
  /** Reconnecting an event stream. */
  streamRetryMinMs: 50,
  streamRetryMs: 1_000,
  streamRetryMaxMs: 30_000,
  streamResumesMax: 20,
  /** Some servers only show that a stream is open when they have something to say. */
  serverStreamWaitMs: 1_000,

  /** Reconnecting a server. */
  backoffMs: 1_000,
  backoffMaxMs: 60_000,
  /** Servers that failed begin to connect again so far apart, and wait no longer than this for their turn. */
  retriesApartMs: 20,
  retryWaitMaxMs: 500,
  /** A child that dies this soon after its start, this often in a row, waits the longest backoff. */
  earlyDeathMs: 5_000,
  earlyDeathsMax: 5,
  /** Time that requests have to end when their server is removed or changed. */
  removedGraceMs: 10_000,
  /** Servers that are being connected at once. */
  connectsAtOnce: 32,
  /** The longest that the answer for a name counts, and when one that failed is asked for again. */
  nameTtlMaxSeconds: 86_400,
  nameRetryMs: 30_000,
  /** How long a resolver has for an answer. */
  nameTimeoutMs: 10_000,
  /** How often at most an idle connection is checked. */
  idleCheckMinMs: 100,
  /** The ping to a connected server. */
  probeIntervalMs: 30_000,
  probeTimeoutMs: 5_000,

  listPagesMax: 1_000,
  listItemsMax: 10_000,
  /** Characters of one whole list as JSON. */
  listBytesMax: 32 * 1024 * 1024,
  listChangedDebounceMs: 100,
  listChangedMaxWaitMs: 1_000,

  inputRoundsMax: 10,
  /** How long a person has at a page whose server never says that it is done. */
  pageWaitMs: 600_000,
  /** Pause before repeating a call whose server only asked to come again. */
  inputRetryMs: 250,
  /** Questions of servers that are being answered at once, per connection. */
  questionsMax: 32,
  /** Calls that were given up and may still be answered, per connection, that are remembered. */
  forsakenCallsMax: 1_000,
} as const;

/** How many own connections a server may have, how long an unused one stays, and how long a client waits for one. */
export const SHARING_LIMITS = {
  ownProcessesMax: 8,
  ownSessionsMax: 1_000,
  ownIdleMs: 5 * 60_000,
  /** Where the client closed its last stream and has not come back. */
  ownLeftMs: 30_000,
  leaseWaitMs: 30_000,
  leaseWaitersMax: 256,
} as const;
