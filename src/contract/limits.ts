/** Every limit of Bindery that is not part of one room's specification, in one place. */
export const LIMITS = {
  /** Body of a request to an operation's route, unless the operation says less. */
  httpBodyBytesMax: 4 * 1024 * 1024,
  /** Memory of all bodies that have not arrived whole, and the time in which each has to arrive. */
  bodiesBytesMax: 64 * 1024 * 1024,
  bodyArrivesMs: 30_000,
  /** How long a connection stays whose body was given up, so that its sender reads the answer. */
  lingerMs: 1_000,
  /** What was written and no client has taken yet, where one connection has several answers, and on all connections together. */
  unsentBytesPerConnectionMax: 16 * 1024 * 1024,
  unsentBytesMax: 64 * 1024 * 1024,
  /** How long a client has to take what was written: this long, and the time that it takes at this rate. */
  writeMs: 30_000,
  writeBytesPerSecondMin: 128 * 1024,
  unsentLookEveryMs: 1_000,
  /** Answers that one operation keeps by URL, where its face says so. */
  httpAnswersKeptMax: 10_000,
  /** Answers to longer URLs, headers included, are not cached, to bound the memory. */
  httpAnswerKeyLengthMax: 1024,
  /** Issues that one answer lists about bad input. */
  inputIssuesMax: 20,
  /** Requests of a stdio client that may wait; the input is not read further until there is room. */
  stdioWaitingMax: 256,
  /** Characters of a call's texts that an approver is shown at once; of each further text so many. The exact arguments can be revealed. */
  shownCharsMax: 64 * 1024,
  shownRestCharsMax: 256,
  /** Characters of one text that are masked and kept in a record; the digest of the arguments is of all of it. */
  recordedTextCharsMax: 256 * 1024,
  /** A longer value is never masked for approvers: it is no token. */
  maskedTokenCharsMax: 4_096,
  /** A larger config file is not read. */
  configFileBytesMax: 4 * 1024 * 1024,
  /** Servers that the config file of a project may define, and those that wait for a person's trust and are said one by one. */
  projectServersMax: 500,
  untrustedToldMax: 20,
  /** Levels of objects and lists in a JSON file that a person or a project wrote; a deeper file is refused. */
  jsonFileDepthMax: 200,
  /** Longest text whose parsed tree is cached, and how many trees are. */
  jsonTreeKeptCharsMax: 1024 * 1024,
  jsonTreesKeptMax: 4,
  /** A larger file of a client is not imported; some keep their history in the same file. */
  importFileBytesMax: 64 * 1024 * 1024,
  /** A larger JSON file that a command is given is not read. */
  commandFileBytesMax: 64 * 1024 * 1024,
  /** Items of one page of a list. */
  pageItemsDefault: 100,
  pageItemsMax: 1000,
  /** Where hidden characters are shown: sequences of a text that are looked up as emoji, how long one may be, and how many are remembered. */
  emojiSequencesMax: 128,
  emojiUnitsMax: 24,
  emojiKnownMax: 4_096,
} as const;
