import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { FailureReport } from '../../contract/failure-report.ts';
import { createMemoryLog } from '../../contract/testing/memory-log.ts';
import { TokenCounts } from './token-counts.ts';

const log = createMemoryLog();
const report = new FailureReport(log, { failing: 'not kept', again: 'kept' });

test('a text is counted once, and not again after a restart', () => {
  const database = new DatabaseSync(':memory:');
  const counted: string[] = [];
  const count = (text: string) => {
    counted.push(text);
    return text.length;
  };
  const first = new TokenCounts(database, count, report);
  const before = [first.known('abc'), first.of('abc'), first.of('abc'), ...first.ofAll(['de', 'f'])];
  const second = new TokenCounts(database, count, report);
  const after = [second.known('abc'), second.of('de'), second.of('f'), second.known('g')];
  expect({ before, after, counted }).toEqual({
    before: [undefined, 3, 3, 2, 1],
    after: [3, 2, 1, undefined],
    counted: ['abc', 'de', 'f'],
  });
});

test('a count that cannot be kept is given all the same', () => {
  const database = new DatabaseSync(':memory:');
  const counts = new TokenCounts(database, ({ length }) => length, report);
  database.exec("CREATE TRIGGER full BEFORE INSERT ON token_counts BEGIN SELECT RAISE(ABORT, 'disk is full'); END");
  expect([counts.of('abc'), counts.of('abc'), counts.known('abc')]).toEqual([3, 3, undefined]);
  database.exec('DROP TRIGGER full');
  expect([counts.of('abc'), counts.known('abc')]).toEqual([3, 3]);
  expect(log.lines.map(({ message }) => message)).toEqual(['not kept', 'kept']);
});
