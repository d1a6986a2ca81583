import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { BinderyError, toBinderyError } from './errors.ts';

function thrownBy(work: () => void): unknown {
  try {
    work();
  } catch (thrown) {
    return thrown;
  }
  throw new Error('nothing was thrown');
}

test('what is ours stays, and what is not is internal, with its cause', () => {
  const ours = new BinderyError('CANCELLED');
  const theirs = new Error('oh');
  expect([toBinderyError(ours), toBinderyError(theirs).code, toBinderyError(theirs).cause]).toEqual([
    ours,
    'INTERNAL',
    theirs,
  ]);
  expect([toBinderyError(undefined).code, toBinderyError(theirs, 'UPSTREAM_ERROR').code]).toEqual([
    'INTERNAL',
    'UPSTREAM_ERROR',
  ]);
});

test('a file that cannot be used is a store that is not there; a wrong statement is not', () => {
  const database = new DatabaseSync(':memory:');
  database.exec('CREATE TABLE numbers (n INTEGER UNIQUE); PRAGMA max_page_count = 4; INSERT INTO numbers VALUES (1)');
  const full = thrownBy(() => {
    for (let n = 2; n < 100_000; n += 1) database.exec(`INSERT INTO numbers VALUES (${n})`);
  });
  const readOnly = thrownBy(() => database.exec('PRAGMA query_only = 1; INSERT INTO numbers VALUES (-1)'));
  const twice = thrownBy(() => database.exec('PRAGMA query_only = 0; INSERT INTO numbers VALUES (1)'));
  const wrong = thrownBy(() => database.exec('SELECT'));
  const gone = thrownBy(() => new DatabaseSync('/nowhere/at/all'));
  expect([full, readOnly, gone, twice, wrong].map((thrown) => toBinderyError(thrown).code)).toEqual([
    'STORE_UNAVAILABLE',
    'STORE_UNAVAILABLE',
    'STORE_UNAVAILABLE',
    'INTERNAL',
    'INTERNAL',
  ]);
});
