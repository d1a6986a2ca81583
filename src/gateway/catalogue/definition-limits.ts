/** Size limits of server definitions, which are untrusted. */
export const DEFINITION_LIMITS = {
  schemaBytesMax: 65_536,
  descriptionBytesMax: 4_096,
  nameCharsMax: 256,
  /** Nesting levels of one definition; a deeper one is dropped. */
  levelsMax: 100,
  /** All members of a tool without a limit of their own, as JSON; larger ones are dropped. */
  otherMembersCharsMax: 65_536,
  /** Each list of a server, as JSON; further items are dropped. */
  toolsCharsMax: 4_194_304,
  /** Tools of a server that it shows only to clients that can be asked something, as JSON; further ones are dropped. */
  askedToolsCharsMax: 1_048_576,
  resourcesCharsMax: 4_194_304,
  templatesCharsMax: 1_048_576,
  promptsCharsMax: 1_048_576,
  /** Resource templates: their length, and the length of a URI that is matched against them; and the number of templates per server. */
  templateCharsMax: 1_024,
  templateExpressionsMax: 16,
  templatedUriCharsMax: 4_096,
  templatesMax: 500,
  /** Expressions in all templates of one server, because every resource of every server may be matched against each. */
  templateExpressionsInAllMax: 256,
  /** The diff of a definition: characters compared per side, indentation levels, characters of the diff and of a context line. */
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
