import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { TokenCounts } from './token-counts.ts';

test('a text is counted once, and not again after a restart', () => {
  const database = new DatabaseSync(':memory:');
  const counted: string[] = [];
  const count = (text: string) => {
    counted.push(text);
    return text.length;
  };
  const first = new TokenCounts(database, count);
  const before = [first.known('abc'), first.of('abc'), first.of('abc'), ...first.ofAll(['de', 'f'])];
  const second = new TokenCounts(database, count);
  const after = [second.known('abc'), second.of('de'), second.of('f'), second.known('g')];
  expect({ before, after, counted }).toEqual({
    before: [undefined, 3, 3, 2, 1],
    after: [3, 2, 1, undefined],
    counted: ['abc', 'de', 'f'],
  });
});
