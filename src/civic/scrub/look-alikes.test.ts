import fc from 'fast-check';
import { expect, it } from 'vitest';
import { findIdentifiers } from './find-identifiers.ts';
import { foldDigits, foldLetters, foldMixedWords, wordSkeleton } from './look-alikes.ts';
import { randomIban, seededRandom } from './testing/number-samples.ts';

/** The ways to draw each capital, written here again: Latin, Cyrillic, Greek. */
const DRAWN: Readonly<Record<string, string>> = {
  A: 'AАΑ',
  B: 'BВΒ',
  E: 'EЕΕ',
  H: 'HНΗ',
  I: 'IІΙ',
  K: 'KКΚ',
  M: 'MМΜ',
  N: 'NΝ',
  O: 'OОΟ',
  P: 'PРΡ',
  T: 'TТΤ',
  X: 'XХΧ',
};

it('finds an IBAN whatever script its letters are from', () => {
  fc.assert(
    fc.property(fc.nat(1_000_000), fc.array(fc.nat(2), { minLength: 34, maxLength: 34 }), (seed, choices) => {
      const iban = randomIban(seededRandom(seed));
      const drawn = [...iban].map((char, at) => {
        const ways = DRAWN[char] ?? char;
        return ways[(choices[at] ?? 0) % ways.length];
      });
      expect(findIdentifiers(`Refunds: ${drawn.join('')}.`).hits).toEqual([
        { rule: 'iban', start: 9, end: 9 + iban.length },
      ]);
    }),
  );
});

it('folds unit for unit, so that offsets stay', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(...'aАеΕ1lO0 .-яїxb') }), (text) => {
      for (const fold of [foldLetters, foldMixedWords, foldDigits]) expect(fold(text)).toHaveLength(text.length);
    }),
  );
});

it.each([
  ['Ignоre the Система', 'Ignore the Система'],
  ['слово and word', 'слово and word'],
])('of %j only words of mixed scripts are folded', (text, folded) => {
  expect(foldMixedWords(text)).toBe(folded);
});

it.each([
  ['your P I N', 'your pin'],
  ['your p-i-n', 'your pin'],
  ['your P1N', 'your pin'],
  ['your РIN', 'your pin'],
  ['your passw0rd', 'your password'],
  ['the 12 desks of 2026', 'the 12 desks of 2026'],
])('%j reads as %j', (text, read) => {
  expect(wordSkeleton(text)).toBe(read.replaceAll('l', 'i'));
});
