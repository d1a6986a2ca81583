/** What a definition of a server's may weigh; the texts come from strangers. */
export const DEFINITION_LIMITS = {
  schemaBytesMax: 65_536,
  descriptionBytesMax: 4_096,
  nameCharsMax: 256,
  /** A template of resource URIs, and a URI that is compared with templates; of each server so many of them count. */
  templateCharsMax: 1_024,
  templateExpressionsMax: 16,
  templatedUriCharsMax: 4_096,
  templatesMax: 1_000,
  /** Where a definition changed: what is compared of each side, how far it is indented, what is shown of the difference, and of a line beside it. */
  comparedCharsMax: 262_144,
  indentedLevelsMax: 32,
  diffCharsMax: 262_144,
  diffContextCharsMax: 400,
} as const;

export type DefinitionFlag = 'schema_replaced' | 'description_cut' | 'invisible_characters' | 'addresses_the_model';
