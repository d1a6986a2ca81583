/** All limits of the running program. */
export const UP_LIMITS = {
  /** How long `bindery init` waits for the gateway that it starts. */
  startMs: 30_000,
  /** How much output of that gateway is read if it failed. */
  startLogBytesMax: 1024 * 1024,
  /** How often expired sessions, idle connections and rate windows are reclaimed. */
  jobsEveryMs: 30_000,
  /** Delay after a change before the registry is written, so that several changes share one write. */
  noteServersAfterMs: 100,
  /** Tools that are judged in one turn of the event loop when policy changes. */
  judgeToolsAtOnce: 500,
  /** How long a search waits for servers that are not discovered yet. */
  firstDiscoveryWaitMs: 1_000,
  /** How long a search waits for the tools that servers show only to clients like its own. */
  firstProbeWaitMs: 5_000,
  /** How long a call waits for the first lists of the server in its name: as long as for an answer. */
  firstCallWaitMs: 30_000,
  /** Delay after a change of lists before the search for name conflicts. */
  conflictsAfterMs: 500,
  /** First pause before a retry of spans; it doubles. */
  spanRetryFirstMs: 500,
  /** Delay after a call before the search learns from it. */
  learnAfterMs: 500,
  /** Delay after a change of tools before their search is prepared. */
  prepareSearchAfterMs: 100,
  /** How often old records are pruned. */
  auditUpkeepEveryMs: 60_000,
  /** How often the head of this process's chain is noted. Later records could be cut off unnoticed. */
  noteHeadsEveryMs: 1_000,
  /** How often the chain of a dead writer is checked, if nothing was added to it. */
  restingAuditUpkeepEveryMs: 3_600_000,
  /** Minimum size of an audit chain, for any number of chains. */
  auditChainBytesMin: 256 * 1024,
  /** Longer diffs of a tool are truncated in the log; `bindery tools changes` shows more. */
  changeDiffCharsMax: 4_000,
  /** Sign-ins whose steps are remembered, of all servers and users. */
  signInsNotedMax: 1_000,
  /** Kept events for readers that reconnect: their number and bytes. */
  eventsKeptMax: 1_000,
  eventBytesKeptMax: 8 * 1024 * 1024,
  /** Interval of events for ended calls, and how many calls and bytes one event may hold. */
  auditEventsEveryMs: 100,
  auditEventItemsMax: 100,
  auditEventCharsMax: 1024 * 1024,
  /** Event streams per caller; above it the oldest ends. */
  eventStreamsPerCallerMax: 64,
  /** Interval of the comments that keep an event stream open. */
  eventCommentEveryMs: 15_000,
  /** Concurrent verifications and exports of the audit log. */
  auditReadersMax: 2,
  /**
   * A reader that is this far behind is disconnected, and can resume after its last event id. It must exceed the kept bytes, which are
   * sent at once.
   */
  eventBytesBehindMax: 16 * 1024 * 1024,
  /** Servers whose offers are stored in one transaction, which blocks the event loop. */
  learnServersAtOnce: 8,
  /** How long tools are prepared in one turn of the event loop. */
  prepareToolsMs: 10,
  /** A list with more characters is stored with a sparing heap, for this time. */
  spareHeapListChars: 1_000_000,
  spareHeapMs: 20_000,
  /** Quiet time before tokens are counted, the pause between batches, the delay of a retry, and the size of a batch. */
  countTokensAfterMs: 1_000,
  countTokensPauseMs: 20,
  countTokensAgainMs: 30_000,
  countTokensToolsAtOnce: 100,
  countTokensCharsAtOnce: 100_000,
  /** Polling interval of `audit tail --follow`, and its first lines. */
  followAuditEveryMs: 250,
  auditTailLinesDefault: 20,
  auditTailLinesMax: 1_000,
  /** Timeout of a webhook, and the pauses before retries: the pause doubles up to the maximum. */
  webhookTimeoutMs: 10_000,
  webhookRetryFirstMs: 1_000,
  webhookRetryMaxMs: 60_000,
  webhookSecretBytesMax: 4_096,
  /** How long the shutdown waits for spans to be sent. */
  spanFlushMs: 3_000,
  /** Records of the log that are read at once. */
  endedCallsWindow: 500,
  /** How long a command waits for a running gateway, and how many pages of a list it requests. */
  gatewayTimeoutMs: 5_000,
  gatewayPagesMax: 100,
  /** Timeout for a cited page. */
  linkProbeTimeoutMs: 15_000,
  /** Characters of the arguments that the shell shows in its question. */
  shellArgumentCharsMax: 2_000,
  /** How long the shutdown waits for running calls. */
  drainMs: 10_000,
  /** Timeout of a server test, and how much output of its program is shown. */
  serverTestMs: 30_000,
  testStderrMax: 4_000,
  /** Remembered states per server. */
  serverMomentsMax: 200,
  /** How long a signed-in browser may read, and how long it may make changes; then it needs a new link. */
  signedInMs: 7 * 86_400_000,
  signedInToChangeMs: 8 * 3_600_000,
  /** Lifetime of a sign-in link that is requested from a running gateway, and how many links may exist. */
  signInLinkMs: 10 * 60_000,
  signInLinksMax: 16,
  /** How long a browser may take to confirm an approval. */
  confirmationMs: 60_000,
  /** Processes that `--workers` may start. */
  workersMax: 64,
  /** Minimum delay before a dead worker is replaced. */
  replaceWorkerAfterMs: 250,
  /** How long clients of `/mcp` have for their first lists before the HTTP API is loaded. */
  loadApiAfterMs: 1_500,
  /** Lifetime of a pass between nodes; it has to exceed the clock skew. */
  nodePassMs: 60_000,
  /** Callers whose user a node caches from passes of other nodes. */
  nodeUsersMax: 10_000,
  /** Timeout for a connection to another node. */
  nodeConnectTimeoutMs: 2_000,
  /** Headers with mirrored arguments that `bindery stdio` adds to one call; the gateway names missing ones one at a time. */
  mirroredHeadersMax: 32,
} as const;
