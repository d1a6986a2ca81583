import fc from 'fast-check';
import { expect, test } from 'vitest';
import { BytePairs } from './byte-pairs.ts';
import { TokenRanks } from './token-ranks.ts';

/** Ranks of these tokens in this order; with the pauses that reading them made. */
function ranksOf(tokens: readonly string[]) {
  const lines = tokens.map((token, rank) => `${Buffer.from(token, 'latin1').toString('base64')} ${rank}\n`);
  const reading = TokenRanks.read(Buffer.from(lines.join('')));
  for (let pauses = 0; ; pauses += 1) {
    const { done, value } = reading.next();
    if (done) return { ranks: value, pauses };
  }
}

const LETTERS = ['a', 'b', 'c'];
const word = fc.string({ unit: fc.constantFrom(...LETTERS), minLength: 1, maxLength: 40 });
const vocabulary = fc
  .uniqueArray(fc.string({ unit: fc.constantFrom(...LETTERS), minLength: 2, maxLength: 6 }), { maxLength: 40 })
  .map((longer) => [...LETTERS, ...longer]);

test('a token has the rank of its line, and other bytes have none', () => {
  fc.assert(
    fc.property(vocabulary, fc.array(word), (tokens, words) => {
      const { ranks } = ranksOf(tokens);
      const rankOf = (given: string) => ranks.of(Buffer.from(`<${given}>`), 1, 1 + given.length);
      expect([...tokens, ...words].map(rankOf)).toEqual([...tokens, ...words].map((given) => tokens.indexOf(given)));
    }),
  );
});

/** The parts of a word after joining, written as the rule says it. */
function naiveParts(tokens: readonly string[], given: string): string[] {
  if (tokens.includes(given)) return [given];
  const parts = [...given];
  for (;;) {
    const joined = parts.slice(1).map((part, at) => tokens.indexOf(`${parts[at]}${part}`));
    const least = Math.min(...joined.filter((rank) => rank >= 0));
    if (least === Number.POSITIVE_INFINITY) return parts;
    parts.splice(joined.indexOf(least), 2, tokens[least] as string);
  }
}

test('pairs are merged by rank, and equal ranks from the left', () => {
  fc.assert(
    fc.property(vocabulary, fc.array(word, { minLength: 1 }), (tokens, words) => {
      const pairs = new BytePairs(ranksOf(tokens).ranks);
      const counts = words.map((given) => pairs.count(Buffer.from(`<${given}>`), 1, 1 + given.length));
      expect(counts).toEqual(words.map((given) => naiveParts(tokens, given).length));
    }),
  );
});

test('reading many lines yields', () => {
  const tokens = Array.from({ length: 40_000 }, (_, index) => index.toString(36));
  expect(ranksOf(tokens).pauses).toBeGreaterThan(3);
});
