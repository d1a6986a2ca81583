import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startPostgres, type TestPostgres } from '../../src/store/postgres/testing/start-postgres.ts';
import { startNotebooks } from '../fixtures/notebook-server.ts';
import { freePort } from '../support/free-port.ts';
import { type NodeTeam, openNodeTeam } from '../support/node-team.ts';
import { root } from '../support/repository.ts';
import type { RunningBindery } from '../support/running-bindery.ts';
import { type Balancer, hasNginx, startNginx, startRoundRobin } from '../support/start-nginx.ts';

const desk = { begun: [] as string[], cancelled: [] as string[] };
const stdio = fileURLToPath(new URL('../fixtures/servers/notebook-stdio.ts', import.meta.url));
let postgres: TestPostgres;
let notebooks: Awaited<ReturnType<typeof startNotebooks>>;
let team: NodeTeam;
let nodes: RunningBindery[];
let balancer: Balancer;

beforeAll(async () => {
  postgres = await startPostgres();
  notebooks = await startNotebooks(desk);
  team = openNodeTeam({
    database: await postgres.newDatabase(),
    config: {
      mcp: {
        servers: {
          sheet: { transport: 'http', url: notebooks.url },
          pad: { transport: 'stdio', command: process.execPath, args: [stdio] },
        },
      },
    },
    servers: ['sheet', 'pad'],
  });
  nodes = await Promise.all([start('one'), start('two')]);
  const hosts = nodes.map(({ url }) => new URL(url).host);
  const [, lines = ''] = /```nginx\n([\s\S]*?)```/.exec(readFileSync(join(root, 'docs/nodes.md'), 'utf8')) ?? [];
  balancer = hasNginx
    ? await startNginx(lines, { '10.0.0.7:7717': hosts[0] as string, '10.0.0.8:7717': hosts[1] as string })
    : await startRoundRobin(nodes.map(({ url }) => url));
}, 120_000);
afterAll(async () => {
  await balancer?.close();
  await team.close();
  await notebooks.close();
  await postgres.stop();
});

async function start(name: string): Promise<RunningBindery> {
  const port = String(await freePort());
  return team.start(name, '--port', port, '--advertise', `http://127.0.0.1:${port}`);
}

async function openClient(mode: 'legacy' | 'auto') {
  const client = new Client(
    { name: `balanced-${mode}`, version: '1.0.0' },
    { capabilities: { elicitation: {} }, versionNegotiation: { mode } },
  );
  client.setRequestHandler('elicitation/create', () => ({ action: 'accept' as const, content: { word: 'heard' } }));
  const transport = new StreamableHTTPClientTransport(new URL(`${balancer.url}/mcp`));
  await client.connect(transport);
  const progress: unknown[] = [];
  const onprogress = ({ message }: { message?: string | undefined }) => void progress.push(message);
  const call = async (name: string, text: string) => {
    const { content } = await client.callTool({ name, arguments: { text } }, { onprogress });
    return (content as { text: string }[])[0]?.text;
  };
  return { client, transport, call, progress };
}

const auditedAt = async (node: RunningBindery) =>
  ((await node.api('GET', '/v1/audit?limit=1000')).body as { items: unknown[] }).items.length;

test('a 2025 client behind a balancer that knows nothing of sessions keeps its state and is asked [gateway:R4]', async () => {
  const { client, transport, call, progress } = await openClient('legacy');
  const texts = [];
  for (const text of ['a', 'b', 'c', 'd']) texts.push(await call('sheet__note', text), await call('pad__note', text));
  const asked = [await call('sheet__ask', '?'), await call('pad__ask', '?'), await call('sheet__ask', '?')];
  const audited = await Promise.all(nodes.map(auditedAt));
  await transport.terminateSession();
  await client.close();
  expect([texts, asked, progress, audited.every((count) => count > 0)]).toEqual([
    ['a', 'a', 'a, b', 'a, b', 'a, b, c', 'a, b, c', 'a, b, c, d', 'a, b, c, d'],
    ['accept heard', 'accept heard', 'accept heard'],
    ['heard', 'heard', 'heard'],
    true,
  ]);
});

test('a 2026 client behind the same balancer finds its process, its session and the calls that wait for it [gateway:R4] [gateway:E7]', async () => {
  const { client, call } = await openClient('auto');
  const texts = [];
  for (const text of ['x', 'y', 'z']) texts.push(await call('pad__note', text), await call('sheet__note', text));
  for (let round = 0; round < 4; round += 1) texts.push(await call('sheet__ask', '?'), await call('pad__ask', '?'));
  await client.close();
  expect(texts).toEqual(['x', 'x', 'x, y', 'x, y', 'x, y, z', 'x, y, z', ...Array(8).fill('accept heard')]);
});

test('the page about nodes names flags and codes that there are', () => {
  const page = readFileSync(join(root, 'docs/nodes.md'), 'utf8');
  const commands = readFileSync(join(root, 'docs/reference/commands.md'), 'utf8');
  const errors = readFileSync(join(root, 'docs/reference/errors.md'), 'utf8');
  const flags = [...new Set(page.match(/--[a-z]+/g))].filter((flag) => !commands.includes(flag));
  const codes = [...new Set(page.match(/\b[A-Z]+_[A-Z_]+\b|\bINTERRUPTED\b/g))].filter(
    (code) => !errors.includes(code),
  );
  expect([flags, codes]).toEqual([[], []]);
});
