/** Every limit of Bindery that is not part of one room's specification, in one place. */
export const LIMITS = {
  /** Body of a request to an operation's route, unless the operation says less. */
  httpBodyBytesMax: 4 * 1024 * 1024,
  /** Answers that one operation keeps by URL, where its face says so. */
  httpAnswersKeptMax: 10_000,
  /** A longer URL, headers included, is answered without being kept: nobody fills the memory with names. */
  httpAnswerKeyLengthMax: 1024,
  /** Issues that one answer lists about bad input. */
  inputIssuesMax: 20,
  /** Requests of a stdio client that may wait; the input is not read further until there is room. */
  stdioWaitingMax: 256,
  /** Items of one page of a list. */
  pageItemsDefault: 100,
  pageItemsMax: 1000,
  /** Where hidden characters are shown: sequences of a text that are looked up as emoji, how long one may be, and how many are remembered. */
  emojiSequencesMax: 128,
  emojiUnitsMax: 24,
  emojiKnownMax: 4_096,
} as const;
