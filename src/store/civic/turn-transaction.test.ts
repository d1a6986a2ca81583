import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import { type Aftermath, TurnTransaction } from './turn-transaction.ts';

const NOTHING: Aftermath = { checkpoint: () => () => {}, settle: () => {} };

function setUp() {
  const first = new DatabaseSync(':memory:');
  const main = new DatabaseSync(':memory:');
  main.exec('CREATE TABLE t (n INTEGER PRIMARY KEY)');
  const commits: number[] = [];
  const count = () => (main.prepare('SELECT count(*) AS n FROM t').get() as { n: number }).n;
  const transaction = new TurnTransaction(first, main, { ...NOTHING, settle: () => commits.push(count()) });
  const add = (n: number) => main.prepare('INSERT INTO t VALUES (?)').run(n);
  return { main, transaction, add, commits, count };
}

describe('TurnTransaction', () => {
  test('work of one turn shares one commit', async () => {
    const { transaction, add, commits } = setUp();
    await Promise.all([1, 2, 3].map((n) => transaction.run(() => add(n))));
    await transaction.run(() => add(4));
    expect(commits).toEqual([3, 4]);
  });

  test('work that throws is undone alone', async () => {
    const { transaction, add, count } = setUp();
    const outcomes = await Promise.allSettled([
      transaction.run(() => add(1)),
      transaction.run(() => {
        add(2);
        add(1);
      }),
      transaction.run(() => add(3)),
    ]);
    expect([outcomes.map(({ status }) => status), count()]).toEqual([['fulfilled', 'rejected', 'fulfilled'], 2]);
  });

  test('no caller is answered before the commit, and no transaction is open in the meantime', async () => {
    const { transaction, add, main, commits } = setUp();
    const seen: unknown[] = [];
    const answer = transaction.run(() => add(1)).then(() => seen.push(['answered', [...commits]]));
    await Promise.resolve();
    seen.push(['waiting', main.isTransaction]);
    await answer;
    expect(seen).toEqual([
      ['waiting', false],
      ['answered', [1]],
    ]);
  });

  test('a database that another process holds is no reason to be stuck afterwards', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'civic-turn-'));
    const [first, main, other] = ['a.db', 'b.db', 'b.db'].map((name) => new DatabaseSync(join(dir, name))) as [
      DatabaseSync,
      DatabaseSync,
      DatabaseSync,
    ];
    main.exec('PRAGMA busy_timeout = 10; CREATE TABLE t (n INTEGER PRIMARY KEY)');
    const transaction = new TurnTransaction(first, main, NOTHING);
    const add = (n: number) => main.prepare('INSERT INTO t VALUES (?)').run(n);
    other.exec('BEGIN IMMEDIATE');
    const refused = await Promise.allSettled([transaction.run(() => add(1))]);
    other.exec('COMMIT');
    await transaction.run(() => add(2));
    expect([refused[0]?.status, main.prepare('SELECT n FROM t').all().length]).toEqual(['rejected', 1]);
    for (const database of [first, main, other]) database.close();
    rmSync(dir, { recursive: true, force: true });
  });

  test('a failed commit rejects every waiting caller', async () => {
    const { transaction, add, main } = setUp();
    main.exec('PRAGMA foreign_keys = ON; CREATE TABLE c (n INTEGER REFERENCES t (n) DEFERRABLE INITIALLY DEFERRED)');
    const outcomes = await Promise.allSettled([
      transaction.run(() => add(1)),
      transaction.run(() => main.exec('INSERT INTO c VALUES (99)')),
    ]);
    expect([outcomes.map(({ status }) => status), main.isTransaction]).toEqual([['rejected', 'rejected'], false]);
  });

  test('work that waits at the end is still done, and later work is refused', async () => {
    const { transaction, add, main, count } = setUp();
    const waiting = transaction.run(() => add(1));
    transaction.close();
    const done = count();
    main.close();
    const outcomes = await Promise.allSettled([waiting, transaction.run(() => add(2))]);
    expect([done, outcomes]).toMatchObject([
      1,
      [{ status: 'fulfilled' }, { status: 'rejected', reason: { code: 'STORE_UNAVAILABLE' } }],
    ]);
  });

  test('waiting callers are rejected even if the database is gone', async () => {
    const { transaction, add, main } = setUp();
    const waiting = transaction.run(() => add(1));
    main.close();
    await expect(waiting).rejects.toThrow('not open');
  });
});
