/** Every limit of judging arguments by schemas and patterns, in one place. */
export const SCHEMA_LIMITS = {
  /** Steps that judging one call by one schema may take: at most about a twentieth of a second. */
  stepsMax: 500_000,
  /** Schemas within schemas that judging may be inside of. */
  depthMax: 1_000,
  /** Characters of one pattern, and its parts with repetitions written out. */
  patternCharsMax: 4_096,
  patternPartsMax: 20_000,
  /** Parts of all patterns that are kept compiled. */
  keptPatternPartsMax: 200_000,
  /** Memory of all remembered steps of patterns, in numbers. */
  keptTransitionsMax: 2_000_000,
} as const;
