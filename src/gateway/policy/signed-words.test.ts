import fc from 'fast-check';
import { expect, test } from 'vitest';
import { NotJudged, StepBudget } from '../schema/steps.ts';
import { signedWords } from './signed-words.ts';
import { endlessBudget } from './testing/plain-files.ts';

const SIGNS = { separator: /[\s<]/, sign: /[.\u3002]/ };

test('finds the words that splitting finds, of which all have a sign or there is only one', () => {
  const text = fc
    .array(fc.constantFrom(' ', '<', '\t', '\u00a0', '.', '\u3002', 'a', 'bc', '\u{1f600}'))
    .map((parts) => parts.join(''));
  fc.assert(
    fc.property(text, (given) => {
      const all = given.split(/[\s<]+/).filter((word) => word !== '');
      expect(signedWords(given, SIGNS, endlessBudget())).toEqual({
        words: all.length === 1 ? all : all.filter((word) => SIGNS.sign.test(word)),
        isAlone: all.length === 1,
      });
    }),
  );
});

test('each word with a sign costs a step', () => {
  expect(signedWords('a b. c. d', SIGNS, new StepBudget(2)).words).toEqual(['b.', 'c.']);
  expect(() => signedWords('a b. c. d', SIGNS, new StepBudget(1))).toThrow(NotJudged);
});
