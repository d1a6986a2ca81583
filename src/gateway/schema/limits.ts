/** All limits of checking arguments against schemas and patterns. */
export const SCHEMA_LIMITS = {
  /** Steps to check one call against one schema, or to judge it by policy (schemas, paths and addresses): at most about 50 ms. */
  stepsMax: 500_000,
  /** Nesting depth of schemas during a check. */
  depthMax: 1_000,
  /** Characters of one pattern, and its parts after expanding repetitions. */
  patternCharsMax: 4_096,
  patternPartsMax: 20_000,
  /** Parts of all compiled patterns in the cache. */
  keptPatternPartsMax: 200_000,
  /** Memory of all cached transitions of patterns, in numbers. */
  keptTransitionsMax: 2_000_000,
} as const;
