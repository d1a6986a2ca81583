import fc from 'fast-check';
import { expect, test } from 'vitest';
import { naiveTokens, naiveWords } from '../../../test/naive/context.ts';
import { anyText, propertyRuns } from '../../context/testing/arbitraries.ts';
import { TermCounter, termsOf } from './term-counter.ts';

/** What a counter says of one document, as words and counts. */
function countsOf(counter: TermCounter, known: string[], content: string) {
  counter.add(content, Buffer.from(content));
  const run = counter.take();
  known.push(...termsOf(run));
  const counts = Array.from(run.terms, (number, index) => [known[number], run.counts[index]]);
  return { words: run.totalWords[0], tokens: run.tokens[0], counts: new Map(counts as [string, number][]) };
}

test('[context:S1] [context:S4] any documents have the counts that reading them word by word gives', () => {
  const ascii = fc.string({
    unit: fc.constantFrom('a', 'B', 'b', ' ', '\t', '\v', '\n', '\u001c', '.'),
    maxLength: 40,
  });
  fc.assert(
    fc.property(fc.array(fc.oneof(anyText, ascii), { maxLength: 6 }), (contents) => {
      const counter = new TermCounter();
      const known: string[] = [];
      for (const content of contents) {
        const words = naiveWords(content);
        const expected = new Map<string, number>();
        for (const word of words) expected.set(word, (expected.get(word) ?? 0) + 1);
        expect(countsOf(counter, known, content)).toEqual({
          words: words.length,
          tokens: naiveTokens(content),
          counts: expected,
        });
      }
    }),
    { numRuns: propertyRuns },
  );
});

test('a vocabulary that outgrows its table keeps every number', () => {
  const counter = new TermCounter();
  const known: string[] = [];
  const words = Array.from({ length: 20_000 }, (_, index) => `word${index}`);
  countsOf(counter, known, words.join(' '));
  expect(known).toEqual(words);
  expect([...countsOf(counter, known, [...words].reverse().join('\n')).counts.keys()]).toEqual([...words].reverse());
  expect(known.length).toBe(words.length);
});
