/** What a definition of a server's may weigh; the texts come from strangers. */
export const DEFINITION_LIMITS = {
  schemaBytesMax: 65_536,
  descriptionBytesMax: 4_096,
  nameCharsMax: 256,
  /** Levels of objects and lists in one definition; a deeper one is left out. */
  levelsMax: 100,
  /** All members of a tool that have no limit of their own, as JSON; larger ones are dropped. */
  otherMembersCharsMax: 65_536,
  /** What is kept of each list of a server, as JSON. Items behind it are left out. */
  toolsCharsMax: 8_388_608,
  resourcesCharsMax: 4_194_304,
  templatesCharsMax: 1_048_576,
  promptsCharsMax: 1_048_576,
  /** A template of resource URIs, and a URI that is compared with templates; of each server so many of them count. */
  templateCharsMax: 1_024,
  templateExpressionsMax: 16,
  templatedUriCharsMax: 4_096,
  templatesMax: 500,
  /** Expressions in all templates of one server: every resource of every server may be compared with each of them. */
  templateExpressionsInAllMax: 256,
  /** Where a definition changed: what is compared of each side, how far it is indented, what is shown of the difference, and of a line beside it. */
  comparedCharsMax: 262_144,
  indentedLevelsMax: 32,
  diffCharsMax: 262_144,
  diffContextCharsMax: 400,
} as const;

export type DefinitionFlag =
  | 'schema_replaced'
  | 'description_cut'
  | 'members_dropped'
  | 'repaired'
  | 'invisible_characters'
  | 'addresses_the_model';
