import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openDatabase, waitBriefly } from '../../store/open-database.ts';
import { retryWhileBusy } from './retry-while-busy.ts';

let dir: string;
let database: DatabaseSync;
let other: DatabaseSync;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'retry-while-busy-'));
  database = openDatabase(join(dir, 'a.db'));
  database.exec('CREATE TABLE t (n INTEGER)');
  waitBriefly(database);
  other = new DatabaseSync(join(dir, 'a.db'));
});
afterEach(() => {
  other.close();
  database.close();
  rmSync(dir, { recursive: true, force: true });
});

const count = () => (database.prepare('SELECT COUNT(*) AS n FROM t').get() as { n: number }).n;

test('work waits for a locked database without blocking the loop, and one writer at a time tries', async () => {
  other.exec('BEGIN IMMEDIATE');
  let tries = 0;
  const write = () => {
    tries += 1;
    database.exec('INSERT INTO t VALUES (1)');
  };
  const writing = Promise.all(Array.from({ length: 50 }, () => retryWhileBusy(write)));
  // It is this very loop that ends the hold: a wait that stood still would never see that.
  const triesWhileHeld = await new Promise<number>((resolve) =>
    setTimeout(() => {
      other.exec('ROLLBACK');
      resolve(tries);
    }, 400),
  );
  await writing;
  expect([count(), triesWhileHeld < 50]).toEqual([50, true]);
});

test('work that fails for another reason is not retried', async () => {
  let tries = 0;
  const work = () => {
    tries += 1;
    database.exec('INSERT INTO nowhere VALUES (1)');
  };
  await expect(retryWhileBusy(work)).rejects.toThrow('no such table');
  expect(tries).toBe(1);
});

test('a database that stays held ends in the error that says so', async () => {
  other.exec('BEGIN IMMEDIATE');
  await expect(retryWhileBusy(() => database.exec('INSERT INTO t VALUES (1)'))).rejects.toMatchObject({ errcode: 5 });
}, 60_000);
