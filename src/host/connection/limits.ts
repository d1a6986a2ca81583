/** All limits of connections to servers. */
export const CONNECTION_LIMITS = {
  requestTimeoutMs: 30_000,
  startupTimeoutMs: 60_000,
  /** When a slow start shows what it waits for, and when it is logged. */
  slowStartShownMs: 5_000,
  slowStartMs: 15_000,
  toolTimeoutMaxMs: 600_000,
  /** How long a stdio server may take to answer the probe before `initialize` is sent too. */
  probeSilenceMs: 3_000,

  /** One JSON-RPC message from a server: a line, an event, a body. */
  messageBytesMax: 16 * 1024 * 1024,
  /** Large answers of one server that are read at the same time; further ones wait on their connections. */
  largeBodiesMax: 6,
  /** A longer line of a child process counts as endless. */
  endlessLineBytes: 256 * 1024 * 1024,
  batchMessagesMax: 50,
  /** Bytes of an HTTP error's body that are read. */
  errorBodyBytesMax: 64 * 1024,
  /** Characters of an HTTP error's body that go into the error message. */
  errorTextMax: 500,
  /** Characters of an error that are kept as the reason of a state. */
  reasonTextMax: 4_000,
  redirectsMax: 5,
  /** How often a request is retried after a 401 or 403. */
  challengesMax: 4,
  connectTimeoutMs: 10_000,
  /** How long an idle connection may be reused: at most, and if the server announces no keep-alive time (uvicorn closes after 5 s). */
  keepAliveMs: 30_000,
  keepAliveUnannouncedMs: 2_500,
  /** Closes an idle connection this long before its server would. */
  keepAliveMarginMs: 1_000,
  /** A connection that was idle this long may be closed already: read from it before writing a request. */
  idleCheckMs: 100,
  /** Total bytes of a response's heads, including interim ones (1xx), and fields per head: the same as Node's limits. */
  headBytesMax: 16 * 1024,
  headFieldsMax: 2_000,
  interimHeadsMax: 16,
  /** The longest accepted `Retry-After` value. */
  retryAfterCharsMax: 64,
  retryAfterMaxMs: 86_400_000,
  /** A chunk-size line or a trailer. */
  chunkLineBytesMax: 4 * 1024,

  /** Bytes of the end of stderr that are kept. */
  stderrBytesMax: 16 * 1024,
  /** Burst of stderr that is read at once; then the server is throttled to `stderrBytesPerSecond`. */
  stderrBurstBytes: 32 * 1024 * 1024,
  stderrBytesPerSecond: 2 * 1024 * 1024,
  /** Characters kept of a stdout line that is not a message, and bytes of such lines in all. */
  noiseLineTextMax: 200,
  noiseBytesMax: 4 * 1024,
  /** Unsolicited messages (log lines, notifications) per window before the server is disconnected. */
  unaskedMessagesMax: 10_000,
  unaskedWindowMs: 10_000,
  /**
   * Above this many messages per window, log lines are dropped and the server is read in small pieces, with a pause after each piece
   * that was nearly full.
   */
  noisyMessagesMax: 1_000,
  noisyPieceBytes: 16 * 1024,
  noisyFullBytes: 8 * 1024,
  noisyRestMs: 12,
  /** Input that a child process has not read yet. */
  unreadInputBytesMax: 32 * 1024 * 1024,

  /** How long the spawner may take to start a child process. */
  processStartMs: 20_000,
  /** Shutdown of a child process: the wait after closing stdin, and after SIGTERM. */
  stdinCloseGraceMs: 1_000,
  lastWordsMs: 200,
  terminateGraceMs: 2_000,

  /** How long a stream may stay open after the answer. */
  streamLingerMs: 1_000,
  /** Reconnecting an event stream. */
  streamRetryMinMs: 50,
  streamRetryMs: 1_000,
  streamRetryMaxMs: 30_000,
  streamResumesMax: 20,
  /** Some servers send the headers of a stream only with its first event. */
  serverStreamWaitMs: 1_000,

  /** Reconnecting a server. */
  backoffMs: 1_000,
  backoffMaxMs: 60_000,
  /** Staggers reconnects of failed servers: the interval, and the longest wait. */
  retriesApartMs: 20,
  retryWaitMaxMs: 500,
  /** A child process that dies this soon after its start, this often in a row, gets the longest backoff. */
  earlyDeathMs: 5_000,
  earlyDeathsMax: 5,
  /** Grace period of running requests when their server is removed or changed. */
  removedGraceMs: 10_000,
  /** Servers that connect at the same time. */
  connectsAtOnce: 32,
  /** The longest TTL of a resolved name, and the pause before a failed resolution is retried. */
  nameTtlMaxSeconds: 86_400,
  nameRetryMs: 30_000,
  /** Timeout of a name resolution. */
  nameTimeoutMs: 10_000,
  /** The shortest interval between idle checks. */
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
  /** How long a server waits before its lists are read again, per million characters of definitions that it changed, and at most. */
  listChangedRestMs: 3_000,
  listChangedRestMsMax: 60_000,

  inputRoundsMax: 10,
  /** How long to wait for a person at a page if the server never reports completion. */
  pageWaitMs: 600_000,
  /** Pause before repeating a call that returned `input_required` without questions. */
  inputRetryMs: 250,
  /** Server questions that are being answered at the same time, per connection. */
  questionsMax: 32,
  /** Unanswered cancelled calls that are remembered, per connection. */
  abandonedCallsMax: 1_000,
} as const;

/** Client connections per server: how many, how long an idle one is kept, and how long a client waits for one. */
export const SHARING_LIMITS = {
  ownProcessesMax: 8,
  ownSessionsMax: 1_000,
  ownIdleMs: 5 * 60_000,
  /** Idle time if the client closed its last stream and has not returned. */
  ownLeftMs: 30_000,
  leaseWaitMs: 30_000,
  leaseWaitersMax: 256,
} as const;
