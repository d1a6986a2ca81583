/** Every limit of the running program, in one place. */
export const UP_LIMITS = {
  /** How long `bindery init` waits for the gateway that it starts. */
  startMs: 30_000,
  /** How much of what that gateway wrote is read where it failed. */
  startLogBytesMax: 1024 * 1024,
  /** How often what has ended is reclaimed: sessions, idle connections, windows of rate limits. */
  jobsEveryMs: 30_000,
  /** The registry is written so long after something changed, for all that changes meanwhile. */
  noteServersAfterMs: 100,
  /** Tools that are judged in one turn when policy changes. */
  judgeToolsAtOnce: 500,
  /** How long a search waits for servers that are not known yet. */
  firstDiscoveryWaitMs: 1_000,
  /** How long a search waits for the tools that servers show only to clients like its own. */
  firstLookWaitMs: 5_000,
  /** How long a call waits for the first lists of the server that its name says: as long as for an answer. */
  firstCallWaitMs: 30_000,
  /** Delay after a change of lists before the search for name conflicts. */
  conflictsAfterMs: 500,
  /** First pause before spans are sent again; it doubles. */
  spanRetryFirstMs: 500,
  /** Time after the end of a call until what it teaches is learnt. */
  learnAfterMs: 500,
  /** Time after a change of tools until their search is prepared. */
  prepareSearchAfterMs: 100,
  /** How often old records are pruned. */
  auditUpkeepEveryMs: 60_000,
  /** How often it is noted where the chain of this process ends: what was recorded since can be cut off unnoticed. */
  noteHeadsEveryMs: 1_000,
  /** How often the chain of a dead writer is checked, where nothing was added to it. */
  restingAuditUpkeepEveryMs: 3_600_000,
  /** What a chain of records keeps, however many there are. */
  auditChainBytesMin: 256 * 1024,
  /** A change of a tool that is longer is cut in the log; `bindery tools changes` shows more of it. */
  changeDiffCharsMax: 4_000,
  /** Sign-ins whose steps are remembered, of all servers and users. */
  signInsNotedMax: 1_000,
  /** Events that a reader who comes back can still get: so many, and so much of them. */
  eventsKeptMax: 1_000,
  eventBytesKeptMax: 8 * 1024 * 1024,
  /** Ended calls are told together, so often, and so many of them by name, as long as the text of all is no longer than this. */
  auditEventsEveryMs: 100,
  auditEventItemsMax: 100,
  auditEventCharsMax: 1024 * 1024,
  /** Event streams of one caller; beyond it the oldest ends. */
  eventStreamsPerCallerMax: 64,
  /** Comment that keeps the event stream open. */
  eventCommentEveryMs: 15_000,
  /** Verifications and exports of the audit log that run at once. */
  auditReadersMax: 2,
  /** A reader that is so far behind is disconnected, and comes back with the id of the last event that it saw. More than what is kept, which
   * it gets at once. */
  eventBytesBehindMax: 16 * 1024 * 1024,
  /** Servers whose offers are stored in one transaction, which holds the event loop. */
  learnServersAtOnce: 8,
  /** How long tools are prepared in one turn of the event loop. */
  prepareToolsMs: 10,
  /** Quiet time before tokens are counted, the pause between batches, the delay of a retry, and the size of a batch. */
  countTokensAfterMs: 1_000,
  countTokensPauseMs: 20,
  countTokensAgainMs: 30_000,
  countTokensToolsAtOnce: 100,
  countTokensCharsAtOnce: 100_000,
  /** `audit tail --follow` polls so often, and begins with so many lines. */
  followAuditEveryMs: 250,
  auditTailLinesDefault: 20,
  auditTailLinesMax: 1_000,
  /** A webhook has so long to answer; a failed delivery is tried again after a pause that doubles up to the maximum. */
  webhookTimeoutMs: 10_000,
  webhookRetryFirstMs: 1_000,
  webhookRetryMaxMs: 60_000,
  webhookSecretBytesMax: 4_096,
  /** Time that spans have to leave when the gateway ends. */
  spanFlushMs: 3_000,
  /** Sequence numbers of the log that are read at once. */
  endedCallsWindow: 500,
  /** How long a command waits for a running gateway, and how many pages of a list it asks it for. */
  gatewayTimeoutMs: 5_000,
  gatewayPagesMax: 100,
  /** How long a cited page has for its answer. */
  linkProbeTimeoutMs: 15_000,
  /** Characters of the arguments that the shell shows when it asks. */
  shellArgumentCharsMax: 2_000,
  /** Time that running calls have when the process is asked to end. */
  drainMs: 10_000,
  /** How long a test of a server may take, and how much of what its program wrote is shown. */
  serverTestMs: 30_000,
  testStderrMax: 4_000,
  /** States of a server that are remembered. */
  serverMomentsMax: 200,
  /** How long a browser that signed in may read, and how long it may change something; then it needs another link. */
  signedInMs: 7 * 86_400_000,
  signedInToChangeMs: 8 * 3_600_000,
  /** How long a sign-in link holds that was asked for while the gateway runs, and how many links there are at once. */
  signInLinkMs: 10 * 60_000,
  signInLinksMax: 16,
  /** How long a browser has from asking to approve a call until it does. */
  confirmationMs: 60_000,
  /** Processes that `--workers` may start. */
  workersMax: 64,
  /** A worker that dies is followed by another, but not faster than this. */
  replaceWorkerAfterMs: 250,
  /** Clients of `/mcp` have this much time for their first lists before the rest is loaded. */
  loadApiAfterMs: 1_500,
  /** How long a pass from one node to another is valid; it has to outlast the clock skew. */
  nodePassMs: 60_000,
  /** Callers whose user a node caches from passes of other nodes. */
  nodeUsersMax: 10_000,
  /** A node that is there takes a connection of another in this time. */
  nodeConnectTimeoutMs: 2_000,
  /** Arguments that a tool wants mirrored in headers; the gateway names them one at a time. */
  mirroredHeadersMax: 32,
} as const;
