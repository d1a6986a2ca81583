/** Every limit of the tool search, in one place. */
export const SEARCH_LIMITS = {
  /** Characters of one query that are read; the rest is ignored. */
  queryCharsMax: 4_000,
  /** Queries that one call of `find_tools` may hold. */
  queriesMax: 20,
  /** Concepts of one query that are scored, in the order of the text. */
  queryConceptsMax: 120,
  /** Implicit sub-queries that rules may add to one query. */
  intentsMax: 8,
  /** Characters of one field of a tool that are indexed. */
  fieldCharsMax: 8_192,
  /** Parameters of a tool that are indexed, and how deep they may be nested. */
  parametersMax: 200,
  parameterDepthMax: 4,
  /** Tools of one query that are kept for merging. */
  candidatesMax: 100,
  /** Tools of a sub-query that are: only its clearly best ones count. */
  impliedCandidatesMax: 25,
  /** Reasons that are shown for a tool. */
  reasonsMax: 3,
  /** Token budget of an answer, and the smallest and the largest that a caller can ask for. */
  budgetTokensDefault: 2_000,
  budgetTokensMin: 200,
  budgetTokensMax: 100_000,
  /** Tools of an answer. */
  limitDefault: 10,
  limitMax: 50,
  /** Servers that are named when nothing matched. */
  serversNamedMax: 100,
  /** Tokens of a listing under `search`. */
  listingTokensMax: 1_000,
  /** Tokens of a listing above which `auto` turns to `search`, unless the configuration says otherwise. */
  exposureTokensDefault: 5_000,
  /** Names that an unknown name is answered with. */
  nearestNamesMax: 3,
  /** Names compared in full with an unknown one; of more names, those that share the most letter pairs with it. */
  comparedNamesMax: 32,
  /** Tools whose answers broke their schema, each of which the log names once. */
  namedToolsMax: 1_000,
  /** Compiled schemas in the cache. */
  compiledSchemasMax: 500,
  /** Characters of a schema (as JSON) that is compiled; arguments for a larger one pass unchecked. */
  schemaCharsMax: 65_536,
  /** Errors that one answer lists about bad arguments. */
  argumentErrorsMax: 10,
  /** Past queries that are remembered for a tool. */
  learnedQueriesPerToolMax: 20,
  learnedQueryCharsMax: 300,
  /** Places of an answer in which a tool counts as found by a query. */
  learnedPlacesMax: 10,
  /** Past queries of all tools together. */
  learnedQueriesMax: 20_000,
  /** Vectors that are kept between runs (about half a kilobyte each), and for how long those that no tool wants. */
  vectorsMax: 100_000,
  unwantedVectorDaysMax: 30,
  /** Conversations whose last search is remembered. */
  learnedConversationsMax: 1_000,
} as const;
