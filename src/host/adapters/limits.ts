/** Limits of what servers define and answer, as the host passes it on. */
export const ADAPTER_LIMITS = {
  /** JSON of one input schema, in bytes. */
  schemaBytesMax: 65_536,
  descriptionBytesMax: 4_096,
  /** Tools of one server; those beyond it are left out, and said to be. */
  toolsPerServerMax: 1_000,
  /** JSON of all input schemas of one server together, in bytes; tools beyond it get the open schema. */
  schemaBytesPerServerMax: 4 * 1024 * 1024,
  /** Subschemas that inlining may produce before the schema counts as too large for a model. */
  schemaNodesMax: 5_000,
  /** Text of one tool result, in bytes; the rest is kept under a reference. */
  outputTextBytesMax: 50 * 1024,
  /** The most that a tool may ask for with `anthropic/maxResultSizeChars`. */
  outputTextBytesAskedMax: 500_000,
  /** Outputs that are kept under a reference, at once and in bytes; the oldest go first. */
  outputsKeptMax: 200,
  outputsKeptBytesMax: 256 * 1024 * 1024,
  /** A tool with a longer name is left out. */
  toolNameCharsMax: 256,
} as const;
