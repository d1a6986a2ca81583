import { expect, it, vi } from 'vitest';
import { adversarialTexts } from '../scrub/testing/adversarial-texts.ts';
import { recordPatterns } from '../scrub/testing/recorded-patterns.ts';
import { countSteps } from '../scrub/testing/regex-steps.ts';
import { findNumberChange } from './compare-numbers.ts';
import { findNewTopics } from './find-topics.ts';
import { findMentions } from './mentions.ts';
import { quantitiesOf } from './quantities.ts';
import { findNewRisks } from './risky-words.ts';

const SEEDS = ['a b ', 'a . ', 'a dot ', 'а', 'aа', 'code of ', 'give the ', 'Пa1', '12 EUR cash '];
const texts = (length: number) => [
  // The scrub's own test runs them all.
  ...adversarialTexts(length).filter((_, at) => at % 3 === 0),
  ...SEEDS.map((seed) => seed.repeat(Math.ceil(length / seed.length)).slice(0, length)),
];
/** As for the scrub: five times the text, and windows of fixed width that are not yet full. */
const GROWTH_MAX = 16;

it('the work of protected fields grows with the length of a text and not faster', () => {
  const patterns = recordPatterns(100, () => {
    for (const text of texts(200)) {
      findMentions(text);
      findNewRisks('', text);
      findNewTopics('', text);
      quantitiesOf(text);
    }
  });
  const [short, long] = [texts(200), texts(1000)];
  const superlinear = patterns.flatMap((pattern) =>
    short.flatMap((text, index) => {
      const growth = countSteps(pattern, long[index] as string).steps / countSteps(pattern, text).steps;
      return growth > GROWTH_MAX ? [`${text.slice(0, 12)}: ${growth} ${pattern.source.slice(0, 80)}`] : [];
    }),
  );
  expect([patterns.length > 10, superlinear]).toEqual([true, []]);
});

it('pairs of sentences are compared up to a bound, and a text above it needs others', () => {
  const text = (count: number, word: string) =>
    Array.from({ length: count }, (_, at) => `desk ${(at % 9) + 1} ${word}${at}.`).join(' ');
  const wordsCompared = (count: number) => {
    const has = vi.spyOn(Set.prototype, 'has');
    const change = findNumberChange(text(count, 'w'), text(count, 'v'));
    const calls = has.mock.calls.length;
    has.mockRestore();
    return { calls, isHeld: change !== undefined };
  };
  const [some, many] = [wordsCompared(300), wordsCompared(3000)];
  expect([many.isHeld, many.calls < some.calls * 10]).toEqual([true, true]);
});

it('the numbers of a long sentence are read once, however many parts it is compared in', () => {
  const readings = (lines: number) => {
    const matchAll = vi.spyOn(String.prototype, 'matchAll');
    findNumberChange('', Array(lines).fill('00:1A:2B:3C:'.repeat(9)).join('\n'));
    const calls = matchAll.mock.contexts.filter((text) => String(text).length > 1_000).length;
    matchAll.mockRestore();
    return calls;
  };
  expect(readings(400)).toBe(readings(100));
});
