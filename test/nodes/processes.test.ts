import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startPostgres, type TestPostgres } from '../../src/store/postgres/testing/start-postgres.ts';
import { freePort } from '../support/free-port.ts';
import { type NodeTeam, openNodeTeam } from '../support/node-team.ts';
import { type Earlier, openSession, type RpcAnswer, requestModern, sessionAt } from '../support/raw-client.ts';
import { listServers, type RunningBindery, until } from '../support/running-bindery.ts';

const ASKED = { elicitation: {} };
const TOKEN = { authorization: 'Bearer the-token-of-all' };
const notebook = fileURLToPath(new URL('../fixtures/servers/notebook-stdio.ts', import.meta.url));
let postgres: TestPostgres;
let team: NodeTeam;
let one: RunningBindery;
let two: RunningBindery;
let silent: RunningBindery;

beforeAll(async () => {
  postgres = await startPostgres();
  const policy = { servers: ['notebook'], forbidden: ['seen'] };
  team = openNodeTeam({
    database: await postgres.newDatabase(),
    config: {
      mcp: { servers: { notebook: { transport: 'stdio', command: process.execPath, args: [notebook] } } },
      gateway: { profiles: { team: { policy } } },
    },
    servers: ['notebook'],
    authorization: TOKEN.authorization,
  });
  [one, two, silent] = await Promise.all([
    startAdvertised('one'),
    startAdvertised('two'),
    team.start('silent', '--token', 'the-token-of-all'),
  ]);
}, 120_000);
afterAll(async () => {
  await team.close();
  await postgres.stop();
});

async function startAdvertised(name: string): Promise<RunningBindery> {
  const port = String(await freePort());
  return team.start(name, '--token', 'the-token-of-all', '--port', port, '--advertise', `http://127.0.0.1:${port}`);
}

const textOf = ({ result, error }: RpcAnswer) => error ?? (result as { content: [{ text: string }] }).content[0].text;
const call = (name: string, text: string) => ({ name: `notebook__${name}`, arguments: { text } });
const open = (node: RunningBindery) => openSession(node.mcpUrl, { capabilities: ASKED, headers: TOKEN });
const at = (node: RunningBindery, id: string) => sessionAt(node.mcpUrl, id, TOKEN);
const noted = async (node: RunningBindery, id: string, text: string) =>
  textOf(await at(node, id).request('tools/call', call('note', text)));
const auditOf = async (node: RunningBindery) =>
  (
    (await node.api('GET', '/v1/audit')).body as {
      items: { chain: string; caller: string; tool: string; session: string }[];
    }
  ).items;

test('a call for a client’s own process is passed on to the node that has it, and judged and recorded there once [gateway:R4]', async () => {
  const { id } = await open(one);
  const texts = [await noted(one, id, 'a'), await noted(two, id, 'b'), await noted(one, id, 'c')];
  const session = JSON.parse(Buffer.from(id.split('.')[1] as string, 'base64url').toString()).s as string;
  // Each node shows the log of all of them.
  const recorded = async (node: RunningBindery) =>
    (await auditOf(node))
      .filter((entry) => entry.session === session)
      .map(({ chain, caller, tool }) => [chain, caller, tool]);
  expect([texts, await recorded(one), await recorded(two)]).toEqual([
    ['a', 'a, b', 'a, b, c'],
    Array(3).fill(['one/0', 'token', 'note']),
    Array(3).fill(['one/0', 'token', 'note']),
  ]);
});

test('progress, questions and a cancel go through the node in between [gateway:R4]', async () => {
  const { id } = await open(one);
  await noted(one, id, 'here');
  const earlier: Earlier[] = [];
  const asked = await at(two, id).request('tools/call', call('ask', 'Which word?'), {
    onEarlier: (message) => {
      earlier.push(message);
      void at(two, id).send({ id: message.id, result: { action: 'accept', content: { word: 'passed' } } });
    },
  });
  const told: Earlier[] = [];
  const params = { ...call('wait', 'for a cancel'), _meta: { progressToken: 't' } };
  const waiting = at(two, id)
    .request('tools/call', params, { id: 'w', onEarlier: (message) => told.push(message) })
    .catch(() => 'no answer');
  await until('progress came', () => told.length > 0);
  await at(silent, id).send({ method: 'notifications/cancelled', params: { requestId: 'w' } });
  const unanswered = await waiting;
  const seen = await at(two, id).request('tools/call', { name: 'notebook__seen' });
  expect([
    textOf(asked),
    earlier.map(({ method }) => method),
    told[0]?.params,
    unanswered,
    JSON.parse(String(textOf(seen))),
  ]).toEqual([
    'accept passed',
    ['elicitation/create'],
    { progressToken: 't', progress: 1 },
    'no answer',
    { begun: ['for a cancel'], cancelled: ['for a cancel'] },
  ]);
});

test('a 2026 client finds its process and its held call from any node [gateway:R4] [gateway:E7]', async () => {
  const more = { capabilities: ASKED, headers: TOKEN, name: 'walker' };
  const request = (node: RunningBindery, params: Record<string, unknown>) =>
    requestModern(node.mcpUrl, 'tools/call', params, more);
  const texts = [textOf(await request(one, call('note', 'x'))), textOf(await request(two, call('note', 'y')))];
  const asked = await request(two, call('ask', 'Word?'));
  const { requestState, inputRequests } = asked.result as { requestState: string; inputRequests: object };
  const inputResponses = { [Object.keys(inputRequests)[0] as string]: { action: 'accept', content: { word: 'z' } } };
  texts.push(textOf(await request(silent, { ...call('ask', 'Word?'), requestState, inputResponses })));
  expect(texts).toEqual(['x', 'x, y', 'accept z']);
});

test('policy of the profile holds for what is passed on, and nobody but a node can speak for a caller [gateway:R4] [gateway:D5]', async () => {
  const team1 = (node: RunningBindery) => `${node.mcpUrl}/team`;
  const session = await openSession(team1(one), { capabilities: ASKED, headers: TOKEN });
  await session.request('tools/call', call('note', 'mine'));
  const denied = await sessionAt(team1(two), session.id, TOKEN).request('tools/call', { name: 'notebook__seen' });
  const forged = Buffer.from(
    JSON.stringify({ from: 'two', caller: 'token', profile: 'team', nonce: 'n', expiresAt: 9e15 }),
  );
  const strangers = [{}, { 'x-bindery-node': `bn1.${forged.toString('base64url')}.AAAA` }];
  const statuses = [];
  for (const headers of strangers)
    statuses.push((await sessionAt(team1(one), session.id, headers).send({ id: 1, method: 'ping' })).status);
  // What a client sends in the name of a node is not passed on.
  const loud = { ...TOKEN, 'x-bindery-node': 'bn1.e30.AAAA' };
  statuses.push((await sessionAt(team1(two), session.id, loud).send({ id: 1, method: 'ping' })).status);
  expect([String(textOf(denied)).startsWith('POLICY_DENIED'), statuses]).toEqual([true, [401, 401, 401]]);
});

test('a node that others cannot reach keeps its processes to itself, and the others say so [gateway:R4]', async () => {
  const { id } = await open(silent);
  const texts = [await noted(silent, id, 'a'), await noted(two, id, 'b'), await noted(silent, id, 'c')];
  const [server] = (await listServers(two, TOKEN.authorization)).filter((item) => item.id === 'notebook');
  expect([texts, server?.reason]).toEqual([
    ['a', 'b', 'a, c'],
    'clients have processes or sessions here, beside those of node "silent", which has no --advertise',
  ]);
});

test('a node that died is refused with a code until it is known to be gone, and then its clients begin anew [gateway:R4]', async () => {
  const three = await startAdvertised('three');
  const { id } = await open(three);
  await noted(three, id, 'lost');
  await three.stop('SIGKILL');
  const { error } = await at(two, id).request('tools/call', call('note', 'early'));
  await until('the node is known to be gone', async () => (await noted(two, id, 'new')) === 'new');
  expect([error?.data, await noted(one, id, 'more')]).toEqual([{ code: 'INTERRUPTED' }, 'new, more']);
});
