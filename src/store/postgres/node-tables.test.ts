import { afterAll, beforeAll, expect, test } from 'vitest';
import { createMemoryLog } from '../../contract/testing/memory-log.ts';
import { newKeyLine, parseKeyRing } from '../credentials/key-ring.ts';
import { STORE_LIMITS } from '../limits.ts';
import { NODE_LIMITS } from './limits.ts';
import { NodeMessages } from './node-messages.ts';
import { NodeTable } from './node-table.ts';
import { type Database, openDatabase } from './open-database.ts';
import { ProcessClaims } from './process-claims.ts';
import { SessionKeys } from './session-keys.ts';
import { SharedSessions } from './shared-sessions.ts';
import { startPostgres, type TestPostgres } from './testing/start-postgres.ts';
import { until } from './testing/until.ts';

let postgres: TestPostgres;
let database: Database;
const opened: Database[] = [];
const log = createMemoryLog();

beforeAll(async () => {
  postgres = await startPostgres();
  database = await open(await postgres.newDatabase());
});
afterAll(async () => {
  await Promise.all(opened.map((one) => one.close()));
  await postgres.stop();
});

async function open(url: string): Promise<Database> {
  const one = await openDatabase(url, log);
  opened.push(one);
  return one;
}

async function join(name: string, run = name): Promise<NodeTable> {
  const table = new NodeTable(database, { name, run, url: undefined });
  await table.join();
  return table;
}

const fail = (error: unknown) => {
  throw error;
};
const rowsOf = async (node: string) =>
  (await database.query('SELECT 1 FROM node_messages WHERE node = $1', [node])).length;

test('every message is taken once and in its order, by however many that listen under one name [gateway:R4]', async () => {
  await join('sender');
  await join('taker');
  const sender = new NodeMessages(database, 'sender');
  const heard: number[][] = [[], []];
  const stops = heard.map((numbers) =>
    new NodeMessages(database, 'taker').receive((message) => numbers.push((message as { n: number }).n), fail),
  );
  const count = NODE_LIMITS.takenMax * 3;
  for (let n = 0; n < count; n += 1) await sender.send('taker', { n, text: 'x'.repeat(n * 100) });
  await until(async () => (await rowsOf('taker')) === 0 && heard.flat().length === count);
  for (const stop of stops) stop();
  const isSorted = heard.map((numbers) =>
    numbers.every((n, index) => index === 0 || n > (numbers[index - 1] as number)),
  );
  expect([heard.flat().sort((a, b) => a - b), isSorted]).toEqual([[...Array(count).keys()], [true, true]]);
});

test('messages sent before a node listened are delivered; expired ones are removed instead [gateway:R4]', async () => {
  await join('late');
  const sender = new NodeMessages(database, 'sender');
  await sender.send('late', { n: 1 });
  await sender.send('late', { n: 2 });
  await database.query("UPDATE node_messages SET expires_at = now() WHERE node = 'late' AND body LIKE '%1%'");
  const heard: object[] = [];
  const stop = new NodeMessages(database, 'late').receive((message) => heard.push(message), fail);
  await until(() => heard.length > 0);
  stop();
  await sender.send('late', { n: 3 });
  await database.query("UPDATE node_messages SET expires_at = now() WHERE node = 'late'");
  await sender.reclaim();
  expect([heard, await rowsOf('late')]).toEqual([[{ n: 2 }], 0]);
});

test('a node that is gone or unknown is sent nothing; one that comes back starts without old messages [gateway:R4]', async () => {
  const table = await join('brief', 'first run');
  const sender = new NodeMessages(database, 'sender');
  const sent = [await sender.send('brief', { n: 1 }), await sender.send('nobody', { n: 1 })];
  await database.query("UPDATE nodes SET seen_at = now() - interval '1 minute' WHERE name = 'brief'");
  sent.push(await sender.send('brief', { n: 2 }));
  const mine = [await table.beat()];
  const again = await join('brief', 'second run');
  mine.push(await table.beat(), await again.beat());
  const left = await rowsOf('brief');
  // The first run leaves late: the second is none of its business.
  await table.leave();
  const present = await again.present(['brief', 'nobody']);
  await again.leave();
  expect([sent, mine, left, present, await again.present(['brief'])]).toEqual([
    [true, false, false],
    [true, false, true],
    0,
    ['brief'],
    [],
  ]);
});

test('an end of a session that cannot be kept hides no other, whether it was notified or missed [gateway:S3]', async () => {
  const shared = new SharedSessions(database);
  const end = (session: string) =>
    shared.save({ session, caller: 'c', expiresAtMs: Date.now() + 60_000 }, { ended: true, state: {} });
  for (const session of ['e1', 'e2']) await end(session);
  const [heard, failed]: [string[], string[]] = [[], []];
  const hear = (session: string) => {
    heard.push(session);
    throw new Error(`no room for ${session}`);
  };
  const stop = shared.onEnded(
    () => ['e1', 'e2', 'other'],
    hear,
    (error) => failed.push((error as Error).message),
  );
  await until(() => heard.length === 2);
  await end('e3');
  await until(() => heard.length === 3);
  stop();
  expect([heard.sort(), failed.sort()]).toEqual([
    ['e1', 'e2', 'e3'],
    ['no room for e1', 'no room for e2', 'no room for e3'],
  ]);
});

test('sessions of one caller take a bounded number of rows, and those whose row was evicted count as ended [gateway:S3]', async () => {
  const { sessionRowsPerCallerMax: most, sessionRowsKeptAtEviction: kept } = STORE_LIMITS;
  const now = Date.now();
  const owner = (at: number, caller = 'flood\u0000er') => ({
    session: `${caller.length}-${at}`,
    caller,
    expiresAtMs: now + 60_000 + at,
  });
  const shared = new SharedSessions(database);
  const open = { ended: false, state: { capabilities: { a: 1 } } };
  const rows = async () => (await database.query('SELECT 1 FROM session_state WHERE caller <> $1', [''])).length;
  await shared.save(owner(0, 'other'), open);
  const before = await rows();
  // The first are written by the database itself: through `save` they would take as many round trips.
  await shared.save(owner(0), open);
  await database.query(
    `INSERT INTO session_state(session, ended, state, expires_at, caller)
     SELECT regexp_replace(session, '-0$', '-' || at), ended, state, expires_at + at * interval '1 millisecond', caller
     FROM session_state, generate_series(1, $2) AS at WHERE session = $1`,
    [owner(0).session, most - 1],
  );
  const fresh = new SharedSessions(database);
  const full = (await rows()) - before;
  await fresh.save(owner(most), open);
  expect([full, (await rows()) - before]).toEqual([most, kept]);
  const gone = most - kept;
  expect([
    await fresh.find(owner(gone)),
    await fresh.find(owner(gone + 1)),
    await fresh.find(owner(most)),
    // One without a row that expires later than all that was evicted was never there, or is in the memory of a node.
    await fresh.find(owner(most + 1)),
    await fresh.find(owner(0, 'other')),
    await fresh.find(owner(1, 'other')),
  ]).toEqual([{ ended: true, state: {} }, open, open, undefined, open, undefined]);
});

test('a reply waits for a node that seems to be gone, until it comes back or a minute is over [gateway:R4]', async () => {
  await join('cut off');
  await database.query("UPDATE nodes SET seen_at = now() - interval '20 seconds' WHERE name = 'cut off'");
  const sender = new NodeMessages(database, 'sender');
  const heard: object[] = [];
  const messages = new NodeMessages(database, 'cut off');
  const stop = messages.receive((message) => heard.push(message), fail);
  await messages.take();
  await sender.reply('cut off', { n: 1 });
  await until(() => heard.length === 1);
  stop();
  await sender.reply('cut off', { n: 2 });
  expect([heard, await rowsOf('cut off')]).toEqual([[{ n: 1 }], 1]);
});

test('a message that could not be taken when notified is taken by the next take [gateway:R4]', async () => {
  await join('deaf');
  const messages = new NodeMessages(database, 'deaf');
  const [heard, failed]: [object[], string[]] = [[], []];
  const hear = (message: object) => {
    heard.push(message);
    throw new Error('no use for it');
  };
  const stop = messages.receive(hear, (error) => failed.push((error as Error).message));
  await messages.take();
  await database.transaction(async (query) => {
    for (const n of [1, 2])
      await query(
        "INSERT INTO node_messages(node, body, expires_at) VALUES ('deaf', $1, now() + interval '1 minute')",
        [JSON.stringify({ n })],
      );
  });
  // Nothing was notified, as where the only notification came to nothing.
  await messages.take();
  stop();
  expect([heard, failed]).toEqual([
    [{ n: 1 }, { n: 2 }],
    ['no use for it', 'no use for it'],
  ]);
});

test('of any number of nodes one has a client’s process; one that is gone has it no more [gateway:R4]', async () => {
  const names = ['p1', 'p2', 'p3'];
  const tables = await Promise.all(names.map((name) => join(name)));
  const claims = names.map((name) => new ProcessClaims(database, name, name));
  const owners = await Promise.all(claims.map((one) => one.claim('pad', 'c')));
  const first = owners.indexOf(undefined);
  const [second, third] = [0, 1, 2].filter((index) => index !== first) as [number, number];
  const others = [owners[second], owners[third]];
  // The owner is asked again and stays it; another lets go of what is not its own.
  await claims[second]?.release('pad', 'c');
  const again = [await claims[first]?.claim('pad', 'c'), await claims[second]?.claim('pad', 'c')];
  await tables[first]?.leave();
  const after = [await claims[second]?.claim('pad', 'c'), await claims[third]?.claim('pad', 'c')];
  const owner = (index: number) => ({ node: names[index], url: null });
  expect([others, again, after]).toEqual([
    [owner(first), owner(first)],
    [undefined, owner(first)],
    [undefined, owner(second)],
  ]);
});

test('nodes sign with one key; a new one is accepted before it signs, and the one before it stays good [gateway:S2]', async () => {
  const url = await postgres.newDatabase();
  const [here, there] = [await open(url), await open(url)];
  const ring = parseKeyRing(newKeyLine());
  const [one, two] = await Promise.all([SessionKeys.open(here, ring), SessionKeys.open(there, ring)]);
  const ofBoth = () => [one, two].map(({ keys }) => keys.map((key) => Buffer.from(key).toString('hex')));
  const settle = () => here.query("UPDATE session_keys SET created_at = created_at - interval '2 minutes'");
  const rotate = async (rotateMs?: number) => {
    await one.keep(rotateMs);
    await two.keep();
    return ofBoth();
  };
  const begun = ofBoth();
  const made = await rotate(0);
  await settle();
  const settled = await rotate();
  const madeAgain = await rotate(0);
  const [first, second, third] = [begun[0]?.[0], made[0]?.[1], madeAgain[0]?.[1]];
  expect([begun, made, settled, madeAgain, new Set([first, second, third]).size]).toEqual([
    [[first], [first]],
    [
      [first, second],
      [first, second],
    ],
    [
      [second, first],
      [second, first],
    ],
    [
      [second, third],
      [second, third],
    ],
    3,
  ]);
});

test('the keys are sealed, and another key file opens none of them [gateway:S2] [gateway:R4]', async () => {
  const url = await postgres.newDatabase();
  const own = await open(url);
  const { keys } = await SessionKeys.open(own, parseKeyRing(newKeyLine()));
  const [row] = await own.query<{ sealed: Buffer }>('SELECT sealed FROM session_keys');
  const failure = await SessionKeys.open(own, parseKeyRing(newKeyLine())).catch(
    (thrown: { code: string }) => thrown.code,
  );
  const key = Buffer.from(keys[0] as Uint8Array);
  expect([row?.sealed.includes(key.toString('base64url')), row?.sealed.includes(key), failure]).toEqual([
    false,
    false,
    'NODE_KEY_DIFFERS',
  ]);
});

test('the list of nodes shows presence and addresses, and drops nodes that left', async () => {
  const alone = await open(await postgres.newDatabase());
  const tableOf = (name: string, url?: string) => new NodeTable(alone, { name, run: name, url });
  const [one, two, gone] = [tableOf('one', 'http://10.0.0.1:7717'), tableOf('two'), tableOf('gone')];
  for (const table of [two, one, gone]) await table.join();
  await alone.query("UPDATE nodes SET seen_at = now() - interval '1 day' WHERE name = 'two'");
  await gone.leave();
  expect((await one.list()).map(({ name, url, present }) => [name, url, present])).toEqual([
    ['one', 'http://10.0.0.1:7717', true],
    ['two', null, false],
  ]);
});
