/** Every limit of reading messages, in one place. */
export const WIRE_LIMITS = {
  /** How deep a tool's schema is searched for header annotations. */
  schemaDepthMax: 64,
  /** How often one server is asked which revision it speaks, and asked to initialise. */
  discoversMax: 3,
  initializesMax: 3,
  /** What of a server's own words goes into a reason. */
  reasonTextMax: 200,
  /** The id of an event, which is sent back to take a stream up again. */
  eventIdBytesMax: 512,
  /** What is kept of each end of a line that is too long. */
  oversizedEndsBytes: 512,
  /** A line that comes in pieces and is longer gets room in one block. */
  largeLineBytes: 256 * 1024,
  /** Messages between these sizes are read into memory that is lent, and so much of each size is kept for the next. */
  lentBytesMin: 4 * 1024,
  lentBytesMax: 1024 * 1024,
  lentKeptBytesMax: 8 * 1024 * 1024,
  /** What is left free before such a message, so that its head can grow where it stands. */
  headRoomBytes: 64,
} as const;
