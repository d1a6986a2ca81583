/** Every limit of Bindery that is not part of one room's specification, in one place. */
export const LIMITS = {
  /** Body of a request to an operation's route, unless the operation says less. */
  httpBodyBytesMax: 4 * 1024 * 1024,
  /** Memory of all incomplete bodies, and the deadline for each to arrive. */
  bodiesBytesMax: 64 * 1024 * 1024,
  bodyArrivesMs: 30_000,
  /** How long a body may pause while others wait for its memory. */
  bodyPausesMs: 1_000,
  /** How long a connection stays open after its body was dropped, so that the sender can read the answer. */
  lingerMs: 1_000,
  /** Unsent bytes on one connection with several answers, and on all connections together. */
  unsentBytesPerConnectionMax: 16 * 1024 * 1024,
  unsentBytesMax: 64 * 1024 * 1024,
  /** Deadline for a client to read an answer: this long, plus the time that the bytes take at this rate. */
  writeMs: 30_000,
  writeBytesPerSecondMin: 128 * 1024,
  unsentLookEveryMs: 1_000,
  /** Answers that one operation caches by URL, if its face allows it. */
  httpAnswersKeptMax: 10_000,
  /** Answers to longer URLs, headers included, are not cached, to bound the memory. */
  httpAnswerKeyLengthMax: 1024,
  /** Issues that one answer lists about bad input. */
  inputIssuesMax: 20,
  /** Requests of a stdio client that may wait; the input is not read until there is room (backpressure). */
  stdioWaitingMax: 256,
  /** Characters of a call's texts that an approver sees at once, and of each further text. The exact arguments can be revealed. */
  shownCharsMax: 64 * 1024,
  shownRestCharsMax: 256,
  /** Characters of one text that are masked and stored in a record; the digest of the arguments covers all of it. */
  recordedTextCharsMax: 256 * 1024,
  /** A longer value is not a token, so it is never masked for approvers. */
  maskedTokenCharsMax: 4_096,
  /** A larger config file is not read. */
  configFileBytesMax: 4 * 1024 * 1024,
  /** Servers that the config file of a project may define, and untrusted servers that are listed one by one. */
  projectServersMax: 500,
  untrustedToldMax: 20,
  /** Levels of objects and lists in a JSON file that a person or a project wrote; a deeper file is refused. */
  jsonFileDepthMax: 200,
  /** Longest text whose parsed tree is cached, and how many trees are. */
  jsonTreeKeptCharsMax: 1024 * 1024,
  jsonTreesKeptMax: 4,
  /** A larger file of a client is not imported; some keep their history in the same file. */
  importFileBytesMax: 64 * 1024 * 1024,
  /** A command does not read a larger JSON file. */
  commandFileBytesMax: 64 * 1024 * 1024,
  /** Items of one page of a list. */
  pageItemsDefault: 100,
  pageItemsMax: 1000,
  /** To show hidden characters: sequences of a text that are looked up as emoji, their maximum length, and how many are cached. */
  emojiSequencesMax: 128,
  emojiUnitsMax: 24,
  emojiKnownMax: 4_096,
} as const;
