import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { inTransaction } from './in-transaction.ts';

function openTable(): DatabaseSync {
  const database = new DatabaseSync(':memory:');
  database.exec('CREATE TABLE numbers (n INTEGER)');
  return database;
}

const numbers = (database: DatabaseSync) =>
  (database.prepare('SELECT n FROM numbers ORDER BY n').all() as { n: number }[]).map(({ n }) => n);

test('work within work is one transaction, kept as a whole', () => {
  const database = openTable();
  inTransaction(database, () => {
    database.exec('INSERT INTO numbers VALUES (1)');
    inTransaction(database, () => database.exec('INSERT INTO numbers VALUES (2)'));
  });
  expect([numbers(database), database.isTransaction]).toEqual([[1, 2], false]);
});

test('what throws leaves nothing, of the work around it neither', () => {
  const database = openTable();
  const failing = () =>
    inTransaction(database, () => {
      database.exec('INSERT INTO numbers VALUES (1)');
      inTransaction(database, () => {
        throw new Error('no');
      });
    });
  expect([failing].map((run) => expect(run).toThrow('no'))).toHaveLength(1);
  expect([numbers(database), database.isTransaction]).toEqual([[], false]);
});

test('what SQLite has rolled back itself, because the disk is full, says why it failed', () => {
  const database = openTable();
  database.exec('PRAGMA max_page_count = 3');
  const fill = () =>
    inTransaction(database, () => {
      for (let n = 0; n < 10_000; n += 1) database.exec(`INSERT INTO numbers VALUES (${n})`);
    });
  expect(fill).toThrow('full');
  expect([numbers(database), database.isTransaction]).toEqual([[], false]);
});
