import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type RunningFixture, startSessionFixture } from '../src/proxy/testing/fixture-server.ts';
import { type CuttableWay, startPostgres, type TestPostgres } from '../src/store/postgres/testing/start-postgres.ts';
import { createNotebook } from './fixtures/notebook-server.ts';
import { type NodeTeam, openNodeTeam } from './support/node-team.ts';
import { openSession, type RpcAnswer } from './support/raw-client.ts';
import type { RunningBindery } from './support/running-bindery.ts';

const ASKED = { elicitation: {} };
let postgres: TestPostgres;
let way: CuttableWay;
let notebook: RunningFixture;
let team: NodeTeam;
let database: pg.Client;
let cut: RunningBindery;

beforeAll(async () => {
  postgres = await startPostgres();
  const url = await postgres.newDatabase();
  way = await postgres.cuttable(url);
  notebook = await startSessionFixture(() => createNotebook({ begun: [], cancelled: [] }));
  team = openNodeTeam({
    database: (node) => (node === 'cut' ? way.url : url),
    config: { mcp: { servers: { notebook: { transport: 'http', url: notebook.url } } } },
    servers: ['notebook'],
  });
  cut = await team.start('cut');
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
