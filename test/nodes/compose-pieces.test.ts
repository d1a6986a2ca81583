import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import { startPostgres, type TestPostgres } from '../../src/store/postgres/testing/start-postgres.ts';
import { freePort } from '../support/free-port.ts';
import { root } from '../support/repository.ts';
import {
  type BinderyHome,
  createHome,
  type RunningBindery,
  startBindery,
  untilKnownTo,
} from '../support/running-bindery.ts';
import { type Balancer, hasNginx, startNginx, startRoundRobin } from '../support/start-nginx.ts';

const TOKEN = 'token-of-the-team';
const stdio = fileURLToPath(new URL('../fixtures/servers/notebook-stdio.ts', import.meta.url));
const deployed = (name: string) => readFileSync(join(root, 'deploy', name), 'utf8');
const homes: BinderyHome[] = [];
let postgres: TestPostgres;
let nodes: RunningBindery[] = [];
let proxy: Balancer;

beforeAll(async () => {
  postgres = await startPostgres();
  const database = new URL(await postgres.newDatabase());
  nodes = [await startNode('one', database), await startNode('two', database)];
  const servers = nodes.map(({ url }) => `server ${new URL(url).host};`).join('\n');
  proxy = hasNginx
    ? await startNginx(deployed('nginx.conf'), { 'server bindery:7717;': servers })
    : await startRoundRobin(nodes.map(({ url }) => url));
}, 120_000);
afterAll(async () => {
  await proxy?.close();
  await Promise.all(nodes.map((node) => node.stop()));
  await Promise.all(homes.map((home) => home.remove()));
  await postgres.stop();
});

/** The command and the environment of compose.yaml, on addresses of this machine. */
async function startNode(name: string, database: URL): Promise<RunningBindery> {
  const { command } = parse(deployed('compose.yaml')).services.bindery as { command: string[] };
  const port = String(await freePort());
  const { password } = database;
  const address = new URL(database);
  address.password = '';
  const home = await createHome({
    mcp: { servers: { pad: { transport: 'stdio', command: process.execPath, args: [stdio] } } },
  });
  const tokenFile = join(home.dir, 'token');
  writeFileSync(tokenFile, TOKEN);
  const here: Readonly<Record<string, string>> = {
    '0.0.0.0': '127.0.0.1',
    '7717': port,
    one: name,
    'http://bindery:7717': `http://127.0.0.1:${port}`,
    'postgres://bindery@postgres/bindery': address.href,
    '/run/secrets/bindery_token': tokenFile,
  };
  // A further node gets the key of the first one, as its error says.
  const [first] = homes;
  if (first) copyFileSync(join(first.dataDir, 'credentials.key'), join(home.dataDir, 'credentials.key'));
  homes.push(home);
  const flags = command.slice(1).map((word) => here[word] ?? word);
  const node = await startBindery({ ...home, env: { ...home.env, PGPASSWORD: password } }, ...flags);
  await untilKnownTo(`Bearer ${TOKEN}`, node, 'pad');
  return node;
}

test('two nodes with the command of compose.yaml serve a client behind nginx with the shipped config', async () => {
  const client = new Client({ name: 'composed', version: '1.0.0' });
  const requestInit = { headers: { authorization: `Bearer ${TOKEN}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${proxy.url}/mcp`), { requestInit }));
  const lastWords = [];
  for (const text of ['a', 'b', 'c', 'd']) {
    const { content } = await client.callTool({ name: 'pad__note', arguments: { text } });
    lastWords.push((content as { text: string }[])[0]?.text.split(', ').at(-1));
  }
  await client.close();
  const audited = await Promise.all(
    nodes.map(async (node) => ((await node.api('GET', '/v1/audit')).body as { items: unknown[] }).items.length),
  );
  expect([lastWords, audited.every((count) => count > 0)]).toEqual([['a', 'b', 'c', 'd'], true]);
});

test('behind the proxy the probes answer everybody, and the API nobody without a credential', async () => {
  const status = async (path: string) => (await fetch(`${proxy.url}${path}`)).status;
  expect([await status('/healthz'), await status('/readyz'), await status('/v1/servers')]).toEqual([200, 200, 401]);
});
