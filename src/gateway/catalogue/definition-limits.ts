/** What a definition of a server's may weigh; the texts come from strangers. */
export const DEFINITION_LIMITS = {
  schemaBytesMax: 65_536,
  descriptionBytesMax: 4_096,
  nameCharsMax: 256,
} as const;

export type DefinitionFlag = 'schema_replaced' | 'description_cut' | 'invisible_characters' | 'addresses_the_model';
