/** The constants of search. Changing one changes answers and the bytes of an index, so they are documented. */
export const SEARCH = {
  /** A section that is longer than this is cut at its next empty line. */
  chunkCharactersMax: 1_600,
  /** A part without an empty line that is longer than this is cut at the ends of its sentences. */
  unbrokenCharactersMax: 2_400,
  /** A run of letters and digits that is longer than this counts as several words. */
  wordCharactersMax: 100,
  /** A longer heading is cut to this. */
  headingCharactersMax: 500,
  /** How soon repetitions stop counting. */
  saturation: 1.2,
  fields: {
    heading: { weight: 3, lengthShare: 0.5 },
    path: { weight: 2, lengthShare: 0.3 },
    body: { weight: 1, lengthShare: 0.75 },
  },
} as const;

export type Field = keyof typeof SEARCH.fields;
export const FIELDS: readonly Field[] = ['heading', 'path', 'body'];
