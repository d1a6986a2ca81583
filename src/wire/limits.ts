/** All limits of reading messages. */
export const WIRE_LIMITS = {
  /** How deep a tool's schema is searched for header annotations. */
  schemaDepthMax: 64,
  /** Nested objects and arrays in a message of a server. */
  messageDepthMax: 1_000,
  /** How often one server is probed for its revision, and asked to initialise. */
  discoversMax: 3,
  initializesMax: 3,
  /** Length of a server's own text in an error reason. */
  reasonTextMax: 200,
  /** Length of an event id, which is sent back to resume a stream. */
  eventIdBytesMax: 512,
  /** How many bytes of each end of an oversized line are kept. */
  oversizedEndsBytes: 512,
  /** A longer line that arrives in pieces is collected in one block. */
  largeLineBytes: 256 * 1024,
  /** Messages between these sizes are read into pooled buffers, and how many bytes of each size the pool keeps. */
  pooledBytesMin: 4 * 1024,
  pooledBytesMax: 1024 * 1024,
  pooledKeptBytesMax: 8 * 1024 * 1024,
  /** Free bytes before such a message, so that its head can grow in place. */
  headRoomBytes: 64,
} as const;
