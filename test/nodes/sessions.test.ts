import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type RunningFixture, startSessionFixture } from '../../src/proxy/testing/fixture-server.ts';
import { startPostgres, type TestPostgres } from '../../src/store/postgres/testing/start-postgres.ts';
import { createNotebook } from '../fixtures/notebook-server.ts';
import { type NodeTeam, openNodeTeam } from '../support/node-team.ts';
import { type Earlier, openSession, type RpcAnswer, requestModern, sessionAt } from '../support/raw-client.ts';
import { type RunningBindery, until } from '../support/running-bindery.ts';

const ASKED = { elicitation: {} };
const desk = { begun: [] as string[], cancelled: [] as string[] };
let postgres: TestPostgres;
let database: string;
let notebook: RunningFixture;
let team: NodeTeam;
let one: RunningBindery;
let two: RunningBindery;

beforeAll(async () => {
  postgres = await startPostgres();
  database = await postgres.newDatabase();
  notebook = await startSessionFixture(() => createNotebook(desk));
  team = openNodeTeam({
    database,
    config: { mcp: { servers: { notebook: { transport: 'http', url: notebook.url } } } },
    servers: ['notebook'],
  });
  [one, two] = await Promise.all([team.start('one'), team.start('two')]);
}, 120_000);
afterAll(async () => {
  await team.close();
  await notebook.close();
  await postgres.stop();
});

const textOf = ({ result, error }: RpcAnswer) =>
  error ? error : (result as { content: [{ text: string }] }).content[0].text;
const call = (name: string, text: string) => ({ name: `notebook__${name}`, arguments: { text } });

test('a session that was opened at one node is good at another, and after its restart [gateway:S2] [gateway:R4]', async () => {
  const session = await openSession(one.mcpUrl);
  const there = sessionAt(two.mcpUrl, session.id);
  const before = [(await there.request('ping')).result, textOf(await there.request('tools/call', call('note', 'a')))];
  await two.stop();
  two = await team.start('two');
  const after = await sessionAt(two.mcpUrl, session.id).request('ping');
  const forged = session.id.slice(0, -4) + (session.id.endsWith('AAAA') ? 'BBBB' : 'AAAA');
  const refused = await sessionAt(two.mcpUrl, forged).send({ id: 1, method: 'ping' });
  expect([...before, after.result, refused.status]).toEqual([{}, 'a', {}, 404]);
});

test('capabilities that are too long for an id are known to every node [gateway:S1] [gateway:S4]', async () => {
  const capabilities = { ...ASKED, experimental: { long: { text: 'x'.repeat(400) } } };
  const session = await openSession(one.mcpUrl, { capabilities });
  expect((await sessionAt(two.mcpUrl, session.id).request('ping')).result).toEqual({});
});

test('an answer of a client that comes to another node reaches the one that asked, however long it is [gateway:R4]', async () => {
  const word = `long ${'é'.repeat(20_000)}`;
  const session = await openSession(one.mcpUrl, { capabilities: ASKED });
  const asked: Earlier[] = [];
  const answered = session.request('tools/call', call('ask', 'Which word?'), {
    onEarlier: (message) => {
      asked.push(message);
      const result = { action: 'accept', content: { word } };
      void sessionAt(two.mcpUrl, session.id).send({ id: message.id, result });
    },
  });
  expect([textOf(await answered), asked.map(({ method }) => method), asked[0]?.id?.startsWith('bindery-one-')]).toEqual(
    [`accept ${word}`, ['elicitation/create'], true],
  );
});

test('a cancel that comes to another node ends the call where it runs [gateway:R4] [gateway:L2]', async () => {
  const session = await openSession(one.mcpUrl);
  const waiting = session.send({ id: 'call-7', method: 'tools/call', params: call('wait', 'cancel me') });
  await until('the call runs', () => desk.begun.includes('cancel me'));
  const there = sessionAt(two.mcpUrl, session.id);
  const told = await there.send({ method: 'notifications/cancelled', params: { requestId: 'call-7' } });
  await until('the call is cancelled', () => desk.cancelled.includes('cancel me'));
  expect([told.status, (await (await waiting).text()).includes('"result"')]).toEqual([202, false]);
});

test('a 2026 client goes on at another node with a call that is held, with progress before the answer [gateway:R4] [gateway:E7]', async () => {
  const params = { ...call('ask', 'Which word?'), _meta: { progressToken: 'p' } };
  const asked = await requestModern(one.mcpUrl, 'tools/call', params, { capabilities: ASKED });
  const { requestState, inputRequests } = asked.result as { requestState: string; inputRequests: object };
  const [key] = Object.keys(inputRequests);
  const earlier: Earlier[] = [];
  const inputResponses = { [key as string]: { action: 'accept', content: { word: 'x'.repeat(10_000) } } };
  const retry = { ...params, requestState, inputResponses };
  const answer = await requestModern(two.mcpUrl, 'tools/call', retry, {
    capabilities: ASKED,
    onEarlier: (message) => earlier.push(message),
  });
  const again = await requestModern(two.mcpUrl, 'tools/call', retry, { capabilities: ASKED });
  expect([textOf(answer), earlier.map(({ params: told }) => told), codeOf(again)]).toEqual([
    `accept ${'x'.repeat(10_000)}`,
    [{ progressToken: 'p', progress: 1, message: 'heard' }],
    'INTERRUPTED',
  ]);
});

test('a 2026 client that goes away at another node ends the call that was held [gateway:R4] [gateway:E7]', async () => {
  const leaving = new AbortController();
  const params = call('wait', 'ask first');
  const asked = await requestModern(one.mcpUrl, 'tools/call', params, { capabilities: ASKED });
  const { requestState, inputRequests } = asked.result as { requestState: string; inputRequests: object };
  const inputResponses = { [Object.keys(inputRequests)[0] as string]: { action: 'accept', content: {} } };
  const retry = { ...params, requestState, inputResponses };
  const { signal } = leaving;
  const gone = requestModern(two.mcpUrl, 'tools/call', retry, { capabilities: ASKED, signal }).catch(() => 'left');
  await until('the call goes on', () => desk.begun.includes('ask first'));
  leaving.abort();
  await until('the call is cancelled', () => desk.cancelled.includes('ask first'));
  expect(await gone).toBe('left');
});

test('what waits at a node that is gone is refused with a code [gateway:R4] [gateway:E7]', async () => {
  const three = await team.start('three');
  const session = await openSession(three.mcpUrl, { capabilities: ASKED });
  let question: string | undefined;
  const asking = session
    .request('tools/call', call('ask', 'Anyone?'), {
      onEarlier: ({ id }) => {
        question = id;
      },
    })
    .catch(() => 'cut off');
  const held = await requestModern(three.mcpUrl, 'tools/call', call('ask', 'Held?'), { capabilities: ASKED });
  await until('the question was asked', () => question !== undefined);
  await three.stop('SIGKILL');
  const { requestState } = held.result as { requestState: string };
  const retry = { ...call('ask', 'Held?'), requestState, inputResponses: {} };
  const retried = await requestModern(two.mcpUrl, 'tools/call', retry, { capabilities: ASKED });
  const response = await sessionAt(two.mcpUrl, session.id).send({ id: question, result: { action: 'decline' } });
  const body = (await response.json()) as RpcAnswer;
  expect([codeOf(retried), response.status, body.error?.data, await asking]).toEqual([
    'INTERRUPTED',
    410,
    { code: 'INTERRUPTED' },
    'cut off',
  ]);
});

test('a session that is ended at one node is ended at every node [gateway:S3]', async () => {
  const session = await openSession(one.mcpUrl);
  const there = sessionAt(two.mcpUrl, session.id);
  await there.request('ping');
  const deleted = await session.end();
  const statusAt = async (url: string) => (await sessionAt(url, session.id).send({ id: 1, method: 'ping' })).status;
  await until('the other node knows', async () => (await statusAt(two.mcpUrl)) === 404);
  await two.stop();
  two = await team.start('two');
  expect([deleted.status, await statusAt(one.mcpUrl), await statusAt(two.mcpUrl)]).toEqual([204, 404, 404]);
});

test('a node with another key file does not join, and no word of the address is told [gateway:R4]', async () => {
  const stranger = openNodeTeam({ database, config: {}, servers: [] });
  const failure = await stranger.start('stranger').then(
    () => 'it joined',
    (thrown: Error) => thrown.message,
  );
  await stranger.close();
  const password = new URL(database).password;
  const log = one.stderr() + two.stderr() + failure;
  const announced = readFileSync(join(team.home('one')?.dataDir ?? '', 'gateway.json'), 'utf8');
  const told = JSON.stringify([(await one.api('GET', '/v1/servers')).body, announced]);
  expect([failure.includes('NODE_KEY_DIFFERS'), log.includes(password), told.includes(password)]).toEqual([
    true,
    false,
    false,
  ]);
});

function codeOf({ result }: RpcAnswer): string | undefined {
  const meta = (result as { _meta?: Record<string, { code: string }> })._meta;
  return meta?.['bindery/error']?.code;
}
