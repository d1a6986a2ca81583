import fc from 'fast-check';

/** White space, near misses of it, letters that change when lower-cased, and astral characters. */
const PIECES = [
  ' ',
  '\n',
  '\t',
  '\u0085',
  '\u00a0',
  '\ufeff',
  '\u2028',
  '\u3000',
  '\u200b',
  '\u180e',
  'a',
  'b',
  'B',
  'guide',
  'guide.',
  'Guide',
  'ß',
  'İ',
  'Σ',
  'ΟΔΟΣ',
  '日本',
  '🚀',
  '\uffee',
  '"',
  '\\',
  '\u0000',
  '\u001f',
  '\u007f',
];

/** Texts in which words repeat, so that queries find something. */
export const anyText: fc.Arbitrary<string> = fc.oneof(
  { weight: 4, arbitrary: fc.array(fc.constantFrom(...PIECES), { maxLength: 24 }).map((pieces) => pieces.join('')) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 24 }) },
);

/** A path below the sources; its lower case is the id. */
export const anyName: fc.Arbitrary<string> = fc
  .array(fc.constantFrom('a', 'b', 'C', 'é', 'Z', '-', '0', '🚀', '\uff5e', 'ß', '"', ' '), {
    minLength: 1,
    maxLength: 5,
  })
  .map((pieces) => `${pieces.join('')}.md`);

/** Documents with distinct ids. */
export const anyDocuments: fc.Arbitrary<{ name: string; content: string }[]> = fc.uniqueArray(
  fc.record({ name: anyName, content: anyText }),
  { maxLength: 12, selector: ({ name }) => name.toLowerCase() },
);

/** How many runs a property has; `PROPERTY_RUNS` changes it. */
export const propertyRuns = Number(process.env.PROPERTY_RUNS ?? 200);
