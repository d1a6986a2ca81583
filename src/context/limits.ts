/** Every limit of the room `context`. */
export const CONTEXT_LIMITS = {
  /** The largest budget: every integer up to it is exact in JSON. */
  budgetMax: Number.MAX_SAFE_INTEGER,
  /** Documents that are read between two checks of the abort signal. */
  readBatch: 64,
  /** Documents that one worker of a build takes at a time. */
  buildChunk: 256,
  /** Document files that a thread creates in one turn, and the buffer for their bytes. */
  writeBatch: 64,
  writeBatchBytes: 256 * 1024,
  /** A build on several threads reads back every n-th document by its name before the cache is used. */
  readBackEvery: 16,
  /** Builds of fewer documents run on one thread: starting workers would cost more than they save. */
  buildInlineMax: 1_000,
  /** Threads of a large build. */
  buildWorkers: 2,
  /** A larger source is not ingested. */
  sourceBytesMax: 256 * 1024 * 1024,
  /** A larger `.gitignore` is not read. */
  gitignoreBytesMax: 1024 * 1024,
  /** Problems that `verify` lists. */
  problemsMax: 20,
  /** Open caches that a server keeps in memory. */
  openCachesMax: 8,
  /** How often a resolve restarts because the cache was replaced during it. */
  replacedRetries: 3,
  /** A manifest that changed less than this before the read may change again within one tick of the file clock. */
  settledMs: 100,
  /** A line of the stdio server, newline included. */
  lineBytesMax: 1_048_576,
  /** Seconds that a tool call may take unless a flag says otherwise. */
  toolTimeoutSecs: 30,
  /** The longest timer of the runtime, rounded down. */
  toolTimeoutSecsMax: 2_000_000,
} as const;
