/** What a definition of a server's may weigh; the texts come from strangers. */
export const DEFINITION_LIMITS = {
  schemaBytesMax: 65_536,
  descriptionBytesMax: 4_096,
  nameCharsMax: 256,
  /** Where a definition changed: what is compared of each side, how far it is indented, and what is shown of the difference. */
  comparedCharsMax: 262_144,
  indentedLevelsMax: 32,
  diffCharsMax: 262_144,
} as const;

export type DefinitionFlag = 'schema_replaced' | 'description_cut' | 'invisible_characters' | 'addresses_the_model';
