import { DatabaseSync } from 'node:sqlite';
import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { inTransaction } from '../../store/in-transaction.ts';
import { BatchedWork } from './batched-work.ts';

let database: DatabaseSync;
let commits: number;
beforeEach(() => {
  database = new DatabaseSync(':memory:');
  database.exec('CREATE TABLE kept (name TEXT PRIMARY KEY)');
  commits = 0;
});
afterEach(() => database.close());

function batches(atOnceMax: number): BatchedWork {
  return new BatchedWork((work) => {
    const done = inTransaction(database, work);
    commits += 1;
    return done;
  }, atOnceMax);
}

const keep = (name: string) => () => {
  if (name === 'bad') throw new Error('it cannot be kept');
  database.prepare('INSERT INTO kept VALUES (?)').run(name);
  return name;
};
const kept = () =>
  database
    .prepare('SELECT name FROM kept ORDER BY name')
    .all()
    .map(({ name }) => name);

test('concurrent work is stored in batches, and each caller gets its own result', async () => {
  const work = batches(2);
  const done = await Promise.all(['a', 'b', 'c'].map((name) => work.do(keep(name))));
  expect([done, kept(), commits]).toEqual([['a', 'b', 'c'], ['a', 'b', 'c'], 2]);
});

test('a part that fails takes no other with it', async () => {
  const work = batches(8);
  const done = await Promise.allSettled(['a', 'bad', 'c'].map((name) => work.do(keep(name))));
  expect([done.map(({ status }) => status), kept()]).toEqual([
    ['fulfilled', 'rejected', 'fulfilled'],
    ['a', 'c'],
  ]);
});

test('between two batches others have a turn', async () => {
  const work = batches(1);
  const order: string[] = [];
  const one = (name: string) => work.do(() => order.push(name));
  await Promise.all([one('first'), setImmediate().then(() => order.push('another')), one('second')]);
  expect(order).toEqual(['first', 'another', 'second']);
});
