import { afterAll, beforeAll, expect, test } from 'vitest';
import { createMemoryLog } from '../../src/contract/testing/memory-log.ts';
import { openDatabase } from '../../src/store/postgres/open-database.ts';
import { startPostgres, type TestPostgres } from '../../src/store/postgres/testing/start-postgres.ts';
import { startNotebooks } from '../fixtures/notebook-server.ts';
import { type NodeTeam, openNodeTeam } from '../support/node-team.ts';
import { openSession, type RpcAnswer, requestModern, sessionAt } from '../support/raw-client.ts';
import { type RunningBindery, until } from '../support/running-bindery.ts';

const desk = { begun: [] as string[], cancelled: [] as string[] };
let postgres: TestPostgres;
let database: string;
let notebooks: Awaited<ReturnType<typeof startNotebooks>>;
let team: NodeTeam;
let one: RunningBindery;
let two: RunningBindery;

beforeAll(async () => {
  postgres = await startPostgres();
  database = await postgres.newDatabase();
  notebooks = await startNotebooks(desk);
  team = openNodeTeam({
    database,
    config: { mcp: { servers: { notebook: { transport: 'http', url: notebooks.url, keep_alive: true } } } },
    servers: ['notebook'],
  });
  [one, two] = await Promise.all([team.start('one'), team.start('two')]);
}, 120_000);
afterAll(async () => {
  await team.close();
  await notebooks.close();
  await postgres.stop();
});

const textOf = ({ result }: RpcAnswer) => (result as { content: [{ text: string }] }).content[0].text;
const noted = async (node: RunningBindery, session: string, text: string) =>
  textOf(await sessionAt(node.mcpUrl, session).request('tools/call', { name: 'notebook__note', arguments: { text } }));

test('a server’s session is gone on with at any node and after a restart, and is begun once [gateway:R4] [gateway:R2]', async () => {
  const { id } = await openSession(one.mcpUrl);
  const before = notebooks.begun.length;
  const texts = [await noted(one, id, 'a'), await noted(two, id, 'b'), await noted(one, id, 'c')];
  const begun = notebooks.begun.length - before;
  await two.stop();
  two = await team.start('two');
  // The node that is new connects anew for itself; nothing is begun for the client.
  const begunForItself = notebooks.begun.length;
  texts.push(await noted(two, id, 'd'));
  expect([texts, begun, notebooks.begun.length - begunForItself]).toEqual([
    ['a', 'a, b', 'a, b, c', 'a, b, c, d'],
    1,
    0,
  ]);
});

test('two nodes that use one session at once get each their own answers [gateway:R6]', async () => {
  const { id } = await openSession(one.mcpUrl);
  await noted(one, id, 'first');
  await noted(two, id, 'second');
  const numbers = [...Array(40).keys()];
  const texts = await Promise.all(numbers.map((n) => noted(n % 2 ? one : two, id, `n${n}`)));
  expect(texts.map((text) => text.split(', ').at(-1))).toEqual(numbers.map((n) => `n${n}`));
});

test('a 2026 client that cannot be asked keeps its state at a 2025 server, whichever node it calls [gateway:R4]', async () => {
  const call = (node: RunningBindery, text: string) =>
    requestModern(node.mcpUrl, 'tools/call', { name: 'notebook__note', arguments: { text } }, { name: 'walker' });
  expect([textOf(await call(one, 'x')), textOf(await call(two, 'y'))]).toEqual(['x', 'x, y']);
});

test('a session that a server forgot is begun anew once, for all nodes [gateway:B1] [gateway:R4]', async () => {
  const { id } = await openSession(one.mcpUrl);
  await noted(one, id, 'lost');
  await noted(two, id, 'lost');
  notebooks.forgetAll();
  expect([await noted(two, id, 'new'), await noted(one, id, 'newer'), await noted(two, id, 'newest')]).toEqual([
    'new',
    'new, newer',
    'new, newer, newest',
  ]);
});

test('what a server says by itself reaches the client at the node where its stream is [gateway:L3] [gateway:R4]', async () => {
  const session = await openSession(one.mcpUrl);
  const heard: unknown[] = [];
  const close = await sessionAt(two.mcpUrl, session.id).listen(({ method, params }) => heard.push([method, params]));
  await session.request('tools/call', { name: 'notebook__say', arguments: { text: 'by itself' } });
  await until('the client hears of it', () => heard.length > 0);
  close();
  expect(heard).toEqual([['notifications/message', { level: 'info', data: 'by itself' }]]);
});

test('the end of a client’s session ends that at the server, from whichever node; a stopped node ends none [gateway:S3] [gateway:R4]', async () => {
  const session = await openSession(one.mcpUrl);
  const before = notebooks.begun.length;
  await noted(one, session.id, 'a');
  const [upstream] = notebooks.begun.slice(before);
  const three = await team.start('three');
  await noted(three, session.id, 'b');
  await three.stop();
  const kept = notebooks.ended.includes(upstream as string);
  await sessionAt(two.mcpUrl, session.id).end();
  await until('the server’s session is ended', () => notebooks.ended.includes(upstream as string));
  expect(kept).toBe(false);
});

test('ids of servers’ sessions are sealed in the database, and go with the client’s session [gateway:R4]', async () => {
  const session = await openSession(one.mcpUrl);
  await noted(one, session.id, 'a');
  const looking = await openDatabase(database, createMemoryLog());
  const client = JSON.parse(Buffer.from(session.id.split('.')[1] as string, 'base64url').toString()).s as string;
  const rows = () =>
    looking.query<{ sealed: Buffer }>('SELECT sealed FROM upstream_sessions WHERE client = $1', [client]);
  const kept = await rows();
  const dump = JSON.stringify(
    await looking.query('SELECT server, client, key_id, encode(sealed, $1) FROM upstream_sessions', ['escape']),
  );
  await session.end();
  await until('nothing is kept', async () => (await rows()).length === 0);
  await looking.close();
  expect([kept.length, notebooks.begun.filter((id) => dump.includes(id))]).toEqual([1, []]);
});
