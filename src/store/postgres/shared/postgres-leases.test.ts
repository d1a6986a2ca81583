import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createMemoryLog } from '../../../contract/testing/memory-log.ts';
import { type Database, openDatabase } from '../open-database.ts';
import { startPostgres, type TestPostgres } from '../testing/start-postgres.ts';
import { PostgresLeases } from './postgres-leases.ts';

let postgres: TestPostgres;
let database: Database;
let leases: PostgresLeases;

beforeAll(async () => {
  postgres = await startPostgres();
  database = await openDatabase(await postgres.newDatabase(), createMemoryLog());
  leases = new PostgresLeases(database);
});
afterAll(async () => {
  await database.close();
  await postgres.stop();
});

test('leases of one window never exceed the limit, whatever each node requests [gateway:R9]', async () => {
  let count = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 50 }),
      fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 30 }),
      async (perMinute, wanted) => {
        count += 1;
        const given = await Promise.all(wanted.map((calls) => leases.lease(`key ${count}`, perMinute, calls)));
        const all = wanted.reduce((sum, calls) => sum + calls, 0);
        expect([
          given.reduce((sum, { calls }) => sum + calls, 0),
          given.every(({ calls }, index) => calls <= (wanted[index] as number)),
          given.every(({ endsInMs }) => endsInMs > 0 && endsInMs <= 60_000),
        ]).toEqual([Math.min(all, perMinute), true, true]);
      },
    ),
    { numRuns: 40 },
  );
});

test('a window that has ended restarts with the next lease, and is deleted without one [gateway:P7]', async () => {
  const used = await leases.lease('tool\nada\u0000', 3, 3);
  const refused = await leases.lease('tool\nada\u0000', 3, 1);
  await database.query('UPDATE rate_windows SET started_at = started_at - 60000');
  const again = await leases.lease('tool\nada\u0000', 3, 1);
  await leases.reclaim();
  const kept = await database.query('SELECT used FROM rate_windows');
  await database.query('UPDATE rate_windows SET started_at = started_at - 60000');
  await leases.reclaim();
  expect([used.calls, refused.calls, again.calls, kept, await database.query('SELECT 1 FROM rate_windows')]).toEqual([
    3,
    0,
    1,
    [{ used: 1 }],
    [],
  ]);
});
