import fc from 'fast-check';
import { expect, test } from 'vitest';
import { tokenise } from './tokenise.ts';

test('l’agent are two words, O’Brien and Jean-Marc are one', () => {
  const words = (text: string) => tokenise(text).map((token) => token.text);
  expect([words("l'agent Jean-Marc"), words('O’Brien'), words("aujourd'hui, d'Élise"), words('- -a-- b')]).toEqual([
    ['l', 'agent', 'Jean-Marc'],
    ['O’Brien'],
    ["aujourd'hui", 'd', 'Élise'],
    ['a', 'b'],
  ]);
});

test('words match a pattern for letters, marks and the signs inside a word', () => {
  const WORD = /[\p{L}\p{M}]+(?:[-'’][\p{L}\p{M}]+){0,6}/gu;
  const units = fc.constantFrom(..."abZ -'’.0éߞ中жع\u0301\u200b\n".split(''), '𝒜', '😀', '\ud835', '\udc9c');
  fc.assert(
    fc.property(fc.string({ unit: units, maxLength: 30 }), (text) => {
      // Elisions part a word after it is found: joined again, the words are the pattern's.
      const covered = tokenise(text).map(({ start, end }) => [start, end]);
      const naive = [...text.matchAll(WORD)].map(({ index, 0: word }) => [index, index + word.length]);
      const joined = naive.map(([start, end]) => [
        start,
        covered.filter(([s, e]) => (s as number) >= (start as number) && (e as number) <= (end as number)).at(-1)?.[1],
      ]);
      expect(joined).toEqual(naive);
      expect(
        covered.every(([s, e]) =>
          naive.some(([start, end]) => (s as number) >= (start as number) && (e as number) <= (end as number)),
        ),
      ).toBe(true);
    }),
    { numRuns: 2000 },
  );
});
