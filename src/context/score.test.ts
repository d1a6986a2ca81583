import fc from 'fast-check';
import { expect, test } from 'vitest';
import { naiveScoreText } from '../../test/naive/context.ts';
import { scoreOf, scoreText } from './score.ts';
import { propertyRuns } from './testing/arbitraries.ts';

test.each([
  [0, 5, '0.0'],
  [0, 0, '0.0'],
  [3, 3, '1.0'],
  [3, 4, '0.75'],
  [1, 3, '0.33333334'],
  [17, 1024, '0.016601562'],
  [1, 1_000_000, '0.000001'],
  [1, 2 ** 20, '9.536743e-7'],
])('[context:S2] %i of %i words is %s', (matches, words, text) => {
  expect(scoreText(scoreOf(matches, words))).toBe(text);
});

test('[context:S2] every score has the text that exact fractions give', () => {
  const ratio = fc
    .tuple(
      fc.integer({ min: 1, max: 2 ** 26 }),
      fc.oneof(fc.integer({ min: 1, max: 3000 }), fc.integer({ min: 1, max: 2 ** 26 })),
    )
    .map(([left, right]) => [Math.min(left, right), Math.max(left, right)] as const);
  fc.assert(
    fc.property(ratio, ([matches, words]) => {
      const score = scoreOf(matches, words);
      expect(scoreText(score)).toBe(naiveScoreText(score));
    }),
    { numRuns: propertyRuns * 10 },
  );
});

test('[context:S2] exact ties, where rounding differs, go to the even digit', () => {
  const wrong: string[] = [];
  for (let power = 1; power <= 24; power++) {
    for (let matches = 1; matches < Math.min(2 ** power, 1500); matches += 2) {
      const score = scoreOf(matches, 2 ** power);
      if (scoreText(score) !== naiveScoreText(score)) wrong.push(`${matches}/${2 ** power}`);
    }
  }
  expect(wrong).toEqual([]);
});
