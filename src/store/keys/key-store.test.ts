import { randomBytes } from 'node:crypto';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { KeyStore } from './key-store.ts';

const HOUR_MS = 3_600_000;

test('keys that were revoked, have run out or are gone are over when it is looked, and the others are not', () => {
  const database = new DatabaseSync(':memory:');
  let now = Date.UTC(2026, 10, 15);
  const keys = new KeyStore(database, { now: () => now });
  const random = { bytes: (length: number) => randomBytes(length) };
  const create = (lifeMs: number | null) =>
    keys.create({ name: 'k', scopes: ['call'], profiles: [], lifeMs }, random).record.id;
  const ids = [create(null), create(null), create(HOUR_MS), create(null), create(2 * HOUR_MS)];
  const [revoked = '', gone = ''] = ids;
  const signals = ids.map((id) => keys.overOf(id));
  expect(ids.map((id, at) => keys.overOf(id) === signals[at])).toEqual(ids.map(() => true));
  const over = () => signals.map(({ aborted }) => aborted);
  keys.endLapsed();
  expect(over()).toEqual([false, false, false, false, false]);
  keys.revoke(revoked);
  database.prepare('DELETE FROM api_keys WHERE id = ?').run(gone);
  now += HOUR_MS;
  expect(over()).toEqual([false, false, false, false, false]);
  keys.endLapsed();
  expect(over()).toEqual([true, true, true, false, false]);
});
