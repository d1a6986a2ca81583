import { createRequire } from 'node:module';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { finish } from '../../../contract/steps.ts';
import { countingTokens, countTokens } from './tokens.ts';

const { cache, resolve } = createRequire(import.meta.url);

test('counting does not load the tables of the library', () => {
  const tokens = ['', 'a', 'hello world', '<|endoftext|>'].map(countTokens);
  expect([tokens, resolve('gpt-tokenizer/bpeRanks/o200k_base') in cache]).toEqual([[0, 1, 2, 7], false]);
});

const text = fc
  .array(
    fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 12 }),
      fc.string({ unit: 'binary', maxLength: 12 }),
      fc.string({ unit: 'binary-ascii', maxLength: 12 }),
      fc.string({ unit: fc.constantFrom('a', 'b', 'ab', '-', ' '), maxLength: 80 }),
      // Halves of pairs, and characters that only some would call a space.
      fc.constantFrom('\ud83d', '\ude00', '😀', '\u00a0', '\u0085', '\u200b', '\u0301', '\r\n\r\n', '  \n '),
      fc.constantFrom(
        "DON'Ts",
        "I'LL",
        'camelCaseHTTPServer',
        '123456',
        '{"type":"object"}',
        '日本語',
        '<|endoftext|>',
      ),
    ),
    { maxLength: 30 },
  )
  // The library does not see a mark of byte order within a longer token.
  .map((parts) => parts.join('').replaceAll('\ufeff', ''));

test('the count equals that of the library', async () => {
  const library = await import('gpt-tokenizer/encoding/o200k_base');
  fc.assert(
    fc.property(text, (given) => {
      expect(countTokens(given)).toBe(library.countTokens(given, { disallowedSpecial: new Set() }));
    }),
    { numRuns: Number(process.env.PROPERTY_RUNS ?? 3_000) },
  );
});

test('a byte order mark is a token, alone and before a word', () => {
  expect(['\ufeff', '\ufeff\n', '\ufeff\ufeff', 'a \ufeff'].map(countTokens)).toEqual([1, 1, 1, 2]);
});

test('a word of three hundred thousand letters is counted, because merging uses a heap', () => {
  expect(countTokens('xy'.repeat(150_000))).toBeGreaterThan(1_000);
});

test('counting a long text yields, and continues correctly after other counts', () => {
  const long = 'Grüße, {"type":"object"} 123 '.repeat(10_000);
  const steps = countingTokens(long);
  let pauses = 0;
  for (;;) {
    const { done, value } = steps.next();
    if (done) {
      expect([pauses, value]).toEqual([2, finish(countingTokens(long))]);
      return;
    }
    pauses += 1;
    countTokens('another text');
  }
});
