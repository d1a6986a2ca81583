/** Limits on tool definitions and results of servers. */
export const ADAPTER_LIMITS = {
  /** JSON of one input schema, in bytes. */
  schemaBytesMax: 65_536,
  descriptionBytesMax: 4_096,
  /** Tools of one server; further ones are left out with a warning. */
  toolsPerServerMax: 1_000,
  /** JSON of all input schemas of one server together, in bytes; further tools get the open schema. */
  schemaBytesPerServerMax: 4 * 1024 * 1024,
  /** Subschemas that inlining may produce; a larger schema counts as too large for a model. */
  schemaNodesMax: 5_000,
  /** Text of one tool result, in bytes; a longer one is stored under a reference. */
  outputTextBytesMax: 50 * 1024,
  /** The largest `anthropic/maxResultSizeChars` that is granted to a tool. */
  outputTextBytesAskedMax: 500_000,
  /** Outputs that are stored under a reference, by number and bytes; the oldest are evicted first. */
  outputsKeptMax: 200,
  outputsKeptBytesMax: 256 * 1024 * 1024,
  /** A tool with a longer name is left out. */
  toolNameCharsMax: 256,
} as const;
