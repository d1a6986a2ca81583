/** All limits of the tool search. */
export const SEARCH_LIMITS = {
  /** Characters of a query that are read; the rest is ignored. */
  queryCharsMax: 4_000,
  /** Queries in one call of `find_tools`. */
  queriesMax: 20,
  /** Concepts of a query that are scored, in text order. */
  queryConceptsMax: 120,
  /** Implied sub-queries per query. */
  intentsMax: 8,
  /** Indexed characters per field of a tool. */
  fieldCharsMax: 8_192,
  /** Indexed parameters of a tool, and their nesting depth. */
  parametersMax: 200,
  parameterDepthMax: 4,
  /** Tools per query that are merged. */
  candidatesMax: 100,
  /** Tools per sub-query that are merged: only the best ones count. */
  impliedCandidatesMax: 25,
  /** Reasons shown per tool. */
  reasonsMax: 3,
  /** Token budget of an answer: default, minimum and maximum. */
  budgetTokensDefault: 2_000,
  budgetTokensMin: 200,
  budgetTokensMax: 100_000,
  /** Tools in an answer: default and maximum. */
  limitDefault: 10,
  limitMax: 50,
  /** Servers that are named if nothing matched. */
  serversNamedMax: 100,
  /** Tokens of a listing with exposure `search`. */
  listingTokensMax: 1_000,
  /** Tokens of a listing above which `auto` switches to `search`; the config can change it. */
  exposureTokensDefault: 5_000,
  /** Suggestions for an unknown name. */
  nearestNamesMax: 3,
  /** Names compared in full with an unknown one; of more names, those that share the most letter pairs with it. */
  comparedNamesMax: 32,
  /** Tools with invalid structured content that are remembered, so that the log names each once. */
  namedToolsMax: 1_000,
  /** Compiled schemas in the cache. */
  compiledSchemasMax: 500,
  /** Largest schema that is compiled, in characters of JSON; arguments for a larger one are not checked. */
  schemaCharsMax: 65_536,
  /** Errors listed for invalid arguments. */
  argumentErrorsMax: 10,
  /** Past queries remembered per tool. */
  learnedQueriesPerToolMax: 20,
  learnedQueryCharsMax: 300,
  /** A tool within this many first results counts as found by a query. */
  learnedPlacesMax: 10,
  /** Past queries of all tools together. */
  learnedQueriesMax: 20_000,
  /** Vectors in the cache (about half a kilobyte each), and how long those without a tool are kept. */
  vectorsMax: 100_000,
  unwantedVectorDaysMax: 30,
  /** Conversations whose last search is remembered. */
  learnedConversationsMax: 1_000,
} as const;
