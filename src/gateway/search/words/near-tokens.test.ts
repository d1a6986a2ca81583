import fc from 'fast-check';
import { expect, test } from 'vitest';
import { countTokens, nearTokens } from './tokens.ts';

const text = fc
  .array(
    fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 12 }),
      fc.string({ unit: 'binary-ascii', maxLength: 12 }),
      fc.constantFrom(
        "don't",
        "'S",
        'don\u2019t',
        'aéb',
        'ÄÖü',
        'camelCase',
        '"name":"read_file"',
        '  ',
        '\n',
        '<|endoftext|>',
      ),
    ),
    { maxLength: 60 },
  )
  .map((parts) => parts.join(''));

test('is on the same side of the limit as the exact count', () => {
  fc.assert(
    fc.property(text, fc.nat(200), (given, limit) => {
      expect(nearTokens(given, limit, countTokens) > limit).toBe(countTokens(given) > limit);
    }),
    { numRuns: Number(process.env.PROPERTY_RUNS ?? 2_000) },
  );
});

test('a text that is far from the limit is not counted', () => {
  const count = () => {
    throw new Error('it was counted');
  };
  const texts = ['[]', JSON.stringify({ description: 'many words '.repeat(1_000) })];
  expect(texts.map((given) => nearTokens(given, 1_000, count) > 1_000)).toEqual([false, true]);
});
