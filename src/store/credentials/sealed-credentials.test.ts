import { DatabaseSync } from 'node:sqlite';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createMemoryLog } from '../../contract/testing/memory-log.ts';
import { newKeyLine, parseKeyRing } from './key-ring.ts';
import { SealedCredentials } from './sealed-credentials.ts';

const clock = { now: () => 0 };
const log = createMemoryLog();
const open = (database: DatabaseSync, ...lines: string[]) =>
  new SealedCredentials(database, parseKeyRing(lines.join('\n')), clock, log);
const bytesOf = (database: DatabaseSync) =>
  database
    .prepare('SELECT sealed FROM user_credentials')
    .all()
    .map(({ sealed }) => Buffer.from(sealed as Uint8Array).toString('latin1'))
    .join('\n');

test('a user reads exactly the entries that this user stored, as in a map of maps [gateway:WHO10]', async () => {
  const step = fc.record({
    owner: fc.constantFrom('user:ada#1', 'user:grace#2'),
    server: fc.constantFrom('mail', 'wiki'),
    token: fc.option(fc.string(), { nil: undefined }),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 20 }), async (steps) => {
      const database = new DatabaseSync(':memory:');
      const line = newKeyLine();
      const model = new Map<string, object>();
      for (const { owner, server, token } of steps) {
        const entry = token === undefined ? undefined : { access_token: token };
        await open(database, line)
          .of(owner)
          .update(server, () => entry);
        if (entry) model.set(`${owner}/${server}`, entry);
        else model.delete(`${owner}/${server}`);
      }
      for (const owner of ['user:ada#1', 'user:grace#2'])
        for (const server of ['mail', 'wiki'])
          expect(await open(database, line).of(owner).get(server)).toEqual(model.get(`${owner}/${server}`));
    }),
    { numRuns: 30 },
  );
});

test('no part of an entry is in the database in plain text [gateway:WHO10]', async () => {
  const database = new DatabaseSync(':memory:');
  const credentials = open(database, newKeyLine());
  await credentials.of('user:ada#1').update('mail', () => ({ access_token: 'the-secret-of-ada' }));
  expect(bytesOf(database)).not.toMatch(/secret|access_token/);
});

test('an entry that was put in another’s place, changed, or sealed with another key is none [gateway:WHO10]', async () => {
  const database = new DatabaseSync(':memory:');
  const line = newKeyLine();
  const credentials = open(database, line);
  await credentials.of('user:ada#1').update('mail', () => ({ access_token: 'a' }));
  await credentials.of('user:grace#2').update('mail', () => ({ access_token: 'g' }));
  database.exec(
    "UPDATE user_credentials SET sealed = (SELECT sealed FROM user_credentials WHERE owner = 'user:ada#1') WHERE owner = 'user:grace#2'",
  );
  const swapped = await credentials.of('user:grace#2').get('mail');
  const [id] = line.split(' ');
  const foreign = open(database, `${id} ${newKeyLine().split(' ')[1]}`);
  const other = await foreign.of('user:ada#1').get('mail');
  database.exec("UPDATE user_credentials SET sealed = substr(sealed, 1, length(sealed) - 1) || x'00'");
  expect([swapped, other, await credentials.of('user:ada#1').get('mail')]).toEqual([undefined, undefined, undefined]);
});

test('a new key re-encrypts everything, and the old one can then be removed [gateway:WHO10]', async () => {
  const database = new DatabaseSync(':memory:');
  const [old, fresh] = [newKeyLine(), newKeyLine()];
  await open(database, old)
    .of('user:ada#1')
    .update('mail', () => ({ access_token: 'a' }));
  const before = bytesOf(database);
  open(database, fresh, old);
  expect(bytesOf(database)).not.toBe(before);
  expect(await open(database, fresh).of('user:ada#1').get('mail')).toEqual({ access_token: 'a' });
});

test('renewals of one user happen one after the other [gateway:WHO10]', async () => {
  const store = open(new DatabaseSync(':memory:'), newKeyLine()).of('user:ada#1');
  const count = (stored: Readonly<Record<string, unknown>> | undefined) => ({ n: Number(stored?.n ?? 0) + 1 });
  const renew = () =>
    store.locked(async () => {
      const stored = await store.get('mail');
      await new Promise((resolve) => setImmediate(resolve));
      await store.write('mail', () => count(stored));
    });
  await Promise.all([renew(), store.locked(() => Promise.reject(new Error('no'))).catch(() => {}), renew(), renew()]);
  expect(await store.get('mail')).toEqual({ n: 3 });
});
