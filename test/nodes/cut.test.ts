import { afterAll, beforeAll, expect, test } from 'vitest';
import { type RunningFixture, startSessionFixture } from '../../src/proxy/testing/fixture-server.ts';
import { type CuttableWay, startPostgres, type TestPostgres } from '../../src/store/postgres/testing/start-postgres.ts';
import { createNotebook } from '../fixtures/notebook-server.ts';
import { type NodeTeam, openNodeTeam } from '../support/node-team.ts';
import { openSession, type RpcAnswer, sessionAt } from '../support/raw-client.ts';
import { type RunningBindery, until } from '../support/running-bindery.ts';

const ASKED = { elicitation: {} };
let postgres: TestPostgres;
let way: CuttableWay;
let notebook: RunningFixture;
let team: NodeTeam;
let cut: RunningBindery;
let whole: RunningBindery;

beforeAll(async () => {
  postgres = await startPostgres();
  const database = await postgres.newDatabase();
  way = await postgres.cuttable(database);
  notebook = await startSessionFixture(() => createNotebook({ begun: [], cancelled: [] }));
  team = openNodeTeam({
    database: (node) => (node === 'cut' ? way.url : database),
    config: { mcp: { servers: { notebook: { transport: 'http', url: notebook.url } } } },
    servers: ['notebook'],
  });
  [cut, whole] = await Promise.all([team.start('cut'), team.start('whole')]);
}, 120_000);
afterAll(async () => {
  await team.close();
  await way.close();
  await notebook.close();
  await postgres.stop();
});

const note = (text: string) => ({ name: 'notebook__note', arguments: { text } });
const textOf = ({ result }: RpcAnswer) => (result as { content: [{ text: string }] }).content[0].text;
const codeOf = async (response: Response) => [
  response.status,
  ((await response.json()) as RpcAnswer).error?.data as object,
];
const unavailable = [503, { code: 'STORE_UNAVAILABLE' }];

test('a cut database stops no plain call, refuses what needs it with a code, and is over by itself [gateway:A23] [gateway:R14]', async () => {
  const known = await openSession(cut.mcpUrl);
  await known.request('tools/call', note('before'));
  const elsewhere = await openSession(whole.mcpUrl);
  const asked = await openSession(whole.mcpUrl, { capabilities: ASKED });
  const question = Promise.withResolvers<string>();
  const answering = asked.request(
    'tools/call',
    { name: 'notebook__ask', arguments: { text: 'Word?' } },
    { onEarlier: ({ id }) => question.resolve(id as string) },
  );
  const answer = { id: await question.promise, result: { action: 'accept', content: { word: 'after' } } };
  await sessionAt(cut.mcpUrl, asked.id).request('ping');

  await way.cut();
  await until('the cut is known', () => cut.stderr().includes('the database cannot be reached'));
  const plain = [
    textOf(await known.request('tools/call', note('during'))),
    textOf(await (await openSession(cut.mcpUrl)).request('tools/call', note('new'))),
    (await sessionAt(cut.mcpUrl, elsewhere.id).request('ping')).result,
  ];
  const long = { experimental: { long: { text: 'x'.repeat(400) } } };
  const refused = [
    await codeOf(await known.end()),
    await codeOf(await sessionAt(cut.mcpUrl, asked.id).send(answer)),
    await openSession(cut.mcpUrl, { capabilities: long }).catch(String),
  ];

  await way.mend();
  await until('it is reachable again', () => cut.stderr().includes('the database is reachable again'));
  const after = await sessionAt(cut.mcpUrl, asked.id).send(answer);
  expect([plain, refused, after.status, textOf(await answering), (await known.end()).status]).toEqual([
    ['before, during', 'new', {}],
    [unavailable, unavailable, expect.stringContaining('STORE_UNAVAILABLE')],
    202,
    'accept after',
    204,
  ]);
});

test('a node that was cut off learns afterwards what it was told meanwhile [gateway:R4] [gateway:S3]', async () => {
  const ended = await openSession(cut.mcpUrl);
  const asked = await openSession(cut.mcpUrl, { capabilities: ASKED });
  const question = Promise.withResolvers<string>();
  const answering = asked.request(
    'tools/call',
    { name: 'notebook__ask', arguments: { text: 'Word?' } },
    { onEarlier: ({ id }) => question.resolve(id as string) },
  );
  const id = await question.promise;
  await way.cut();
  const there = sessionAt(whole.mcpUrl, asked.id);
  const told = await there.send({ id, result: { action: 'accept', content: { word: 'missed' } } });
  const deleted = await sessionAt(whole.mcpUrl, ended.id).end();
  const before = (await ended.request('ping')).result;
  await way.mend();
  await until('the end is known', async () => (await ended.send({ id: 1, method: 'ping' })).status === 404);
  expect([told.status, deleted.status, before, textOf(await answering)]).toEqual([202, 204, {}, 'accept missed']);
});
