import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import { openSalts } from './schema.ts';
import { SqliteSaltStore } from './sqlite-salt-store.ts';
import { TurnTransaction } from './turn-transaction.ts';

const OLD = { bytes: new Uint8Array(32).fill(1), mintedAt: 1 };
const NEW = { bytes: new Uint8Array(32).fill(2), mintedAt: 2 };

function setUp() {
  const database = openSalts(':memory:');
  const main = new DatabaseSync(':memory:');
  main.exec(`PRAGMA foreign_keys = ON; CREATE TABLE t (n INTEGER PRIMARY KEY);
    CREATE TABLE c (n INTEGER REFERENCES t (n) DEFERRABLE INITIALLY DEFERRED)`);
  const salts = new SqliteSaltStore(database);
  salts.put('a', OLD);
  const transaction = new TurnTransaction(database, main, salts);
  const fail = () => {
    throw new Error('undone');
  };
  return {
    salts,
    fail,
    /** Runs work of one turn, whatever becomes of it, and then the next good turn. */
    async turn(...works: (() => void)[]) {
      await Promise.allSettled(works.map((work) => transaction.run(work)));
      await transaction.run(() => {});
    },
    failCommit: () => main.exec('INSERT INTO c VALUES (99)'),
    bytes: () => salts.keys().map((key) => [key, salts.get(key)?.bytes[0]]),
  };
}

describe('salts and the work that they belong to [civic:PV1]', () => {
  test('a salt stays if the work that deleted or moved it was rolled back', async () => {
    const { salts, fail, turn, bytes } = setUp();
    salts.put('b', OLD);
    await turn(() => {
      salts.delete('a');
      salts.rename('b', 'c');
      fail();
    });
    expect(bytes()).toEqual([
      ['a', 1],
      ['b', 1],
    ]);
  });

  test('a salt stays if the commit failed', async () => {
    const { salts, turn, failCommit, bytes } = setUp();
    await turn(() => salts.delete('a'), failCommit);
    expect(bytes()).toEqual([['a', 1]]);
  });

  test('a salt that undone work replaced has its bytes again', async () => {
    const { salts, fail, turn, bytes } = setUp();
    await turn(() => {
      salts.delete('a');
      salts.put('a', NEW);
      fail();
    });
    expect(bytes()).toEqual([['a', 1]]);
  });

  test('what other work of the same turn deleted is gone', async () => {
    const { salts, fail, turn, bytes } = setUp();
    salts.put('b', OLD);
    await turn(
      () => salts.delete('a'),
      () => {
        salts.delete('b');
        fail();
      },
    );
    expect(bytes()).toEqual([['b', 1]]);
  });

  test('a salt that moves is found under its new key alone, at once', async () => {
    const { salts, turn, bytes } = setUp();
    const within: unknown[] = [];
    await turn(() => {
      salts.rename('a', 'b');
      within.push(salts.get('a'), salts.get('b'), salts.keys());
    });
    expect([within, bytes()]).toEqual([[undefined, OLD, ['b']], [['b', 1]]]);
  });
});
