import fc from 'fast-check';

const ATOMS = ['a', 'b', 'ab', '-', '.', '\\d', '\\w', '\\W', '\\s', '\\.', '[a-c]', '[^b]', '[\\]\\w-]', '[]', '[^]'];
const WIDE_ATOMS = [
  'é',
  '😀',
  '\\u{1F600}',
  '\\ud83d\\ude00',
  '\\ud83d',
  '\\x61',
  '\\cA',
  '\\p{L}',
  '\\P{Lu}',
  '[\\p{L}😀]',
];
const ASSERTIONS = ['^', '$', '\\b', '\\B'];
const MARKS = ['*', '+', '?', '{2}', '{0}', '{1,3}', '{0,2}', '{2,}', '*?', '+?', '??', '{1,2}?'];

/** Patterns of the part of ECMAScript that is matched in linear time, as texts. */
export const randomPatterns: fc.Arbitrary<string> = fc.letrec<{ term: string; choice: string }>((tie) => {
  const atom = fc.constantFrom(...ATOMS, ...WIDE_ATOMS);
  const group = fc.tuple(fc.constantFrom('(', '(?:'), tie('choice')).map(([open, inner]) => `${open}${inner})`);
  const repeatable = fc.oneof({ depthSize: 'small', withCrossShrink: true }, atom, group);
  return {
    term: fc.oneof(
      { weight: 5, arbitrary: repeatable },
      { weight: 4, arbitrary: fc.tuple(repeatable, fc.constantFrom(...MARKS)).map((parts) => parts.join('')) },
      { weight: 1, arbitrary: fc.constantFrom(...ASSERTIONS) },
    ),
    choice: fc
      .array(
        fc.array(tie('term'), { maxLength: 3 }).map((terms) => terms.join('')),
        { minLength: 1, maxLength: 3 },
      )
      .map((choices) => choices.join('|')),
  };
}).choice;

/** Short texts of the characters that such patterns speak of: the engine that they are compared with may try every way. */
export const patternTexts: fc.Arbitrary<string> = fc
  .array(
    fc.constantFrom('a', 'b', 'c', 'A', '1', '_', '-', '.', ' ', '\n', 'é', '😀', '\ud83d', '\ude00', '\u2028', '\x01'),
    {
      maxLength: 9,
    },
  )
  .map((units) => units.join(''));
