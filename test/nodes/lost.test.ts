import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { type RunningFixture, startSessionFixture } from '../../src/proxy/testing/fixture-server.ts';
import { type CuttableWay, startPostgres, type TestPostgres } from '../../src/store/postgres/testing/start-postgres.ts';
import { createNotebook } from '../fixtures/notebook-server.ts';
import { type NodeTeam, openNodeTeam } from '../support/node-team.ts';
import { openSession, type RpcAnswer, requestModern } from '../support/raw-client.ts';
import { type RunningBindery, until } from '../support/running-bindery.ts';

const ASKED = { elicitation: {} };
let postgres: TestPostgres;
let way: CuttableWay;
let notebook: RunningFixture;
let team: NodeTeam;
let database: pg.Client;
let cut: RunningBindery;
let whole: RunningBindery;
const slow = { isBegun: false, end: Promise.withResolvers<void>() };

/** A notebook with a tool that asks, and then works for as long as the test likes. */
function createSlowNotebook() {
  const server = createNotebook({ begun: [], cancelled: [] });
  const inputSchema = z.object({ text: z.string() });
  server.registerTool('work', { description: 'Asks, then works.', inputSchema }, async ({ text }, { mcpReq }) => {
    await mcpReq.elicitInput({ message: text, requestedSchema: { type: 'object', properties: {} } });
    slow.isBegun = true;
    await slow.end.promise;
    return { content: [{ type: 'text', text: 'worked' }] };
  });
  return server;
}

beforeAll(async () => {
  postgres = await startPostgres();
  const url = await postgres.newDatabase();
  way = await postgres.cuttable(url);
  notebook = await startSessionFixture(createSlowNotebook);
  team = openNodeTeam({
    database: (node) => (node === 'cut' ? way.url : url),
    config: { mcp: { servers: { notebook: { transport: 'http', url: notebook.url } } } },
    servers: ['notebook'],
  });
  [cut, whole] = await Promise.all([team.start('cut'), team.start('whole')]);
  database = new pg.Client(url);
  await database.connect();
}, 120_000);
afterAll(async () => {
  await database.end();
  await team.close();
  await way.close();
  await notebook.close();
  await postgres.stop();
});

const textOf = ({ result }: RpcAnswer) => (result as { content: [{ text: string }] }).content[0].text;
const call = (name: string, text: string) => ({ name: `notebook__${name}`, arguments: { text } });

test('a message whose notification was of no use is heard soon after [gateway:R4]', async () => {
  const asked = await openSession(cut.mcpUrl, { capabilities: ASKED });
  const question = Promise.withResolvers<string>();
  const answering = asked.request('tools/call', call('ask', 'Word?'), {
    onEarlier: ({ id }) => question.resolve(id as string),
  });
  const id = await question.promise;
  const [, claims = ''] = asked.id.split('.');
  const { s: session } = JSON.parse(Buffer.from(claims, 'base64url').toString());
  const response = { kind: 'response', id, result: { action: 'accept', content: { word: 'late' } } };
  await database.query(
    "INSERT INTO node_messages(node, body, expires_at) VALUES ('cut', $1, now() + interval '1 minute')",
    [JSON.stringify({ kind: 'answer', session, response })],
  );
  expect(textOf(await answering)).toBe('accept late');
});

test('the answer to a call that goes on elsewhere waits for a node that was cut off for so long that it seemed gone [gateway:R4] [gateway:E7]', async () => {
  const params = call('work', 'May I?');
  const asked = await requestModern(whole.mcpUrl, 'tools/call', params, { capabilities: ASKED });
  const { requestState, inputRequests } = asked.result as { requestState: string; inputRequests: object };
  const inputResponses = { [Object.keys(inputRequests)[0] as string]: { action: 'accept', content: {} } };
  const retry = { ...params, requestState, inputResponses };
  const answering = requestModern(cut.mcpUrl, 'tools/call', retry, { capabilities: ASKED });
  await until('the work is begun', () => slow.isBegun);
  await way.cut();
  const countOf = async (rows: string) => (await database.query(`SELECT FROM ${rows}`)).rowCount;
  const isGone = "nodes WHERE name = 'cut' AND seen_at < now() - interval '9 seconds'";
  await until('the node seems to be gone', async () => (await countOf(isGone)) === 1);
  slow.end.resolve();
  await until('the answer waits', async () => (await countOf("node_messages WHERE node = 'cut'")) === 1);
  await way.mend();
  expect(textOf(await answering)).toBe('worked');
});
