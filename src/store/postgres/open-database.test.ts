import { afterAll, beforeAll, expect, test } from 'vitest';
import { BinderyError } from '../../contract/errors.ts';
import { createMemoryLog } from '../../contract/testing/memory-log.ts';
import { migrateDatabase } from './migrate-database.ts';
import { type Database, openDatabase, type Query } from './open-database.ts';
import { startPostgres, type TestPostgres } from './testing/start-postgres.ts';
import { until } from './testing/until.ts';

let postgres: TestPostgres;
const opened: Database[] = [];
const log = createMemoryLog();
const open = async (url: string) => {
  const database = await openDatabase(url, log);
  opened.push(database);
  return database;
};
const errorOf = (work: Promise<unknown>) => work.then(String, (thrown: unknown) => thrown as BinderyError);

beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(async () => {
  await Promise.all(opened.map((database) => database.close()));
  await postgres.stop();
});

test('numbers of 64 bits are numbers, and what throws in a transaction leaves nothing', async () => {
  const database = await open(await postgres.newDatabase());
  await database.query('CREATE TABLE things (at BIGINT)');
  await database.transaction((query) => query('INSERT INTO things VALUES ($1)', [2 ** 40]));
  const failed = database.transaction(async (query) => {
    await query('INSERT INTO things VALUES (1)');
    throw new BinderyError('BUSY');
  });
  expect([(await errorOf(failed)) instanceof BinderyError, await database.query('SELECT at FROM things')]).toEqual([
    true,
    [{ at: 2 ** 40 }],
  ]);
});

test('of nodes that start at once, one brings the database to its newest form [gateway:R4]', async () => {
  const url = await postgres.newDatabase();
  const databases = await Promise.all([open(url), open(url), open(url), open(url)]);
  const steps = ['CREATE TABLE twice (a INT)', 'ALTER TABLE twice ADD COLUMN b INT'];
  const migrations = [{ part: 'test', steps }];
  await Promise.all(databases.map((database) => database.transaction((query) => migrateDatabase(query, migrations))));
  const [database] = databases;
  const older = await errorOf(
    database.transaction((query) => migrateDatabase(query, [{ part: 'test', steps: steps.slice(1) }])),
  );
  expect([
    await database.query("SELECT step FROM migrations WHERE part = 'test' ORDER BY step"),
    String(older),
  ]).toEqual([[{ step: 1 }, { step: 2 }], 'Error: the database was written by a newer version (test is at step 2)']);
});

test('a disconnect fails queries with a code at once and recovers by itself; listening restarts and reports it [gateway:R14]', async () => {
  const url = await postgres.newDatabase();
  const way = await postgres.cuttable(url);
  const [near, far] = [await open(url), await open(way.url)];
  const heard: string[] = [];
  const first = Promise.withResolvers<void>();
  const hears = (payload: string) => until(() => heard.includes(payload));
  far.listen('news', {
    onPayload: (payload) => heard.push(payload),
    onConnected: () => {
      // Whoever is told may ask at once for what was missed.
      void far.query('SELECT 1').then(() => {
        heard.push('connected');
        first.resolve();
      });
    },
  });
  await first.promise;
  await near.query("SELECT pg_notify('news', 'one')");
  await hears('one');
  await way.cut();
  const codes = [codeOf(await errorOf(far.query('SELECT 1')))];
  await until(() => !far.isReachable);
  codes.push(codeOf(await errorOf(far.transaction((query) => query('SELECT 1')))));
  await near.query("SELECT pg_notify('news', 'missed')");
  await way.mend();
  await far.whenReachable();
  await until(() => heard.filter((what) => what === 'connected').length === 2);
  await near.query("SELECT pg_notify('news', 'two')");
  await hears('two');
  expect([codes, heard, await far.query('SELECT 1 AS one')]).toEqual([
    ['STORE_UNAVAILABLE', 'STORE_UNAVAILABLE'],
    ['connected', 'one', 'connected', 'two'],
    [{ one: 1 }],
  ]);
  await far.close();
  opened.splice(opened.indexOf(far), 1);
  await way.close();
});

test('a silent disconnect is detected, and nothing waits longer than the query timeout [gateway:R14]', async () => {
  const way = await postgres.cuttable(await postgres.newDatabase());
  const far = await openDatabase(way.url, log);
  const connected = { times: 0 };
  far.listen('news', { onPayload: () => {}, onConnected: () => connected.times++ });
  await until(() => connected.times === 1);
  way.freeze();
  const codes = [codeOf(await errorOf(far.query('SELECT 1')))];
  await until(() => !far.isReachable);
  codes.push(codeOf(await errorOf(far.query('SELECT 1'))));
  await way.mend();
  await far.whenReachable();
  const after = await far.query('SELECT 1 AS one');
  way.freeze();
  await far.close();
  await way.close();
  expect([codes, connected.times, after]).toEqual([['STORE_UNAVAILABLE', 'STORE_UNAVAILABLE'], 2, [{ one: 1 }]]);
});

test('a listening connection that the server ends is replaced, and nothing else notices', async () => {
  const url = await postgres.newDatabase();
  const [near, far] = [await open(url), await open(url)];
  const connected = { times: 0 };
  far.listen('news', { onPayload: () => {}, onConnected: () => connected.times++ });
  await until(() => connected.times === 1);
  await near.query(
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'LISTEN%'",
  );
  await until(() => connected.times === 2);
  expect([far.isReachable, await far.query('SELECT 1 AS one')]).toEqual([true, [{ one: 1 }]]);
});

test('a machine that vanishes within a transaction holds up the others for some seconds only [gateway:R14]', async () => {
  const url = await postgres.newDatabase();
  const way = await postgres.cuttable(url);
  const [near, far] = [await open(url), await openDatabase(way.url, log)];
  const lock = (query: Query) => query('SELECT version FROM shared_head FOR UPDATE');
  const [locked, woken] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const vanished = far.transaction(async (query) => {
    await lock(query);
    locked.resolve();
    await woken.promise;
    await lock(query);
  });
  await locked.promise;
  way.freeze();
  const began = Date.now();
  await until(() => near.transaction(lock).then(Boolean, () => false));
  const waitedMs = Date.now() - began;
  await way.close();
  woken.resolve();
  expect([codeOf(await errorOf(vanished)), waitedMs < 20_000]).toEqual(['STORE_UNAVAILABLE', true]);
  await far.close();
});

test('a transaction that the database ended while the process was held up fails with a code, and the next one works', async () => {
  const database = await open(await postgres.newDatabase());
  const heldUp = database.transaction(async (query) => {
    await query('SET LOCAL idle_in_transaction_session_timeout = 50');
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 500);
    await query('SELECT 1');
  });
  const code = codeOf(await errorOf(heldUp));
  expect([code, await database.transaction((query) => query('SELECT 1 AS one'))]).toEqual([
    'STORE_UNAVAILABLE',
    [{ one: 1 }],
  ]);
});

test('an error of a subscriber ends neither the process nor the listening, and is logged [gateway:R14]', async () => {
  const database = await open(await postgres.newDatabase());
  const heard: string[] = [];
  const hear = (what: string) => {
    heard.push(what);
    throw new Error('the disk is full');
  };
  database.listen('news', { onPayload: (payload) => hear(payload), onConnected: () => hear('connected') });
  database.listen('news', { onPayload: (payload) => heard.push(`${payload} too`) });
  await until(() => heard.length === 1);
  for (const payload of ['one', 'two']) await database.query('SELECT pg_notify($1, $2)', ['news', payload]);
  await until(() => heard.includes('two too'));
  const told = log.lines.filter(({ message }) => message === 'a notification of the database could not be processed');
  expect([heard, told.length, database.isReachable]).toEqual([
    ['connected', 'one', 'one too', 'two', 'two too'],
    3,
    true,
  ]);
});

test('nothing of an address is part of an error or of the log [gateway:R4]', async () => {
  const url = new URL(await postgres.newDatabase());
  const wrong = new URL(url);
  wrong.password = 'hunter2hunter2';
  const missing = new URL(url);
  missing.pathname = '/nowhere';
  const closed = 'postgres://ada:hunter2hunter2@127.0.0.1:1/x';
  const bad = ['postgres://ada:hunter2hunter2@[::/x', 'mysql://ada:hunter2hunter2@h/x'];
  const errors = [];
  for (const address of [wrong.href, missing.href, closed, ...bad]) {
    const error = (await errorOf(openDatabase(address, log))) as BinderyError;
    errors.push([error.code, error.detail]);
    expect(JSON.stringify([error, error.stack, String(error.cause)])).not.toMatch(/hunter2|ada/);
  }
  const usage = ['USAGE', '--db is an address like postgres://user:password@host:5432/database'];
  expect([errors, JSON.stringify(log.lines).match(/hunter2|ada:/)]).toEqual([
    [
      ['STORE_UNAVAILABLE', 'The database refuses the user or the password.'],
      ['STORE_UNAVAILABLE', 'There is no database of this name.'],
      ['STORE_UNAVAILABLE', 'The database cannot be reached.'],
      usage,
      usage,
    ],
    null,
  ]);
});

const codeOf = (thrown: unknown) => (thrown as BinderyError).code;
