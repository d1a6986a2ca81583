import fc from 'fast-check';
import { expect, test } from 'vitest';
import { naiveWords } from '../../test/naive/context.ts';
import { splitTerms } from './terms.ts';
import { anyText, propertyRuns } from './testing/arbitraries.ts';

test('[context:S1] exactly 25 code points split words', () => {
  const splitting: number[] = [];
  for (let codePoint = 0; codePoint <= 0x10ffff; codePoint++) {
    if (codePoint >= 0xd800 && codePoint <= 0xdfff) continue;
    if (splitTerms(`a${String.fromCodePoint(codePoint)}b`).length === 2) splitting.push(codePoint);
  }
  expect([splitting.length, splitting.includes(0x85), splitting.includes(0xfeff)]).toEqual([25, true, false]);
});

test('[context:S1] words are lower-cased as a whole text and keep punctuation, order and repetitions', () => {
  expect(splitTerms(' Guide guide. GUIDE\u0085ΟΔΟΣ ΟΔΟΣ ')).toEqual(['guide', 'guide.', 'guide', 'οδος', 'οδος']);
  expect([splitTerms(''), splitTerms(' \n\u3000')]).toEqual([[], []]);
});

test('[context:S1] any text has the words that reading it character by character gives', () => {
  fc.assert(
    fc.property(anyText, (text) => {
      expect(splitTerms(text)).toEqual(naiveWords(text));
    }),
    { numRuns: propertyRuns * 5 },
  );
});
