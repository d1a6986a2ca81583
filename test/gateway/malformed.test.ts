import { fileURLToPath } from 'node:url';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as FirstClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as FirstTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  type BinderyHome,
  createHome,
  listServers,
  type RunningBindery,
  startBindery,
  until,
  untilKnown,
} from '../support/running-bindery.ts';

const program = (name: string) => fileURLToPath(new URL(`../fixtures/servers/${name}.ts`, import.meta.url));
const server = (name: string, argument: string) => ({
  transport: 'stdio',
  command: process.execPath,
  args: [program(name), argument],
});
const config = (argument: string) => ({
  mcp: { servers: { bad: server('malformed-server', argument), good: server('stdio-server', 'legacy') } },
  gateway: { exposure: 'all' },
});

let home: BinderyHome;
let bindery: RunningBindery;
beforeAll(async () => {
  home = await createHome(config('malformed'));
  bindery = await startBindery(home);
  await untilKnown(bindery, 'bad', 'good');
});
afterAll(async () => {
  await bindery?.stop();
  await home?.remove();
});

const INFO = { name: 'test', version: '1' };

async function connected(kind: 'SDK 1' | '2025' | '2026'): Promise<Client> {
  const url = new URL(bindery.mcpUrl);
  if (kind === 'SDK 1') {
    const client = new FirstClient(INFO);
    await client.connect(new FirstTransport(url) as Parameters<FirstClient['connect']>[0]);
    return client as unknown as Client;
  }
  const client = new Client(INFO, kind === '2025' ? {} : { versionNegotiation: { mode: { pin: '2026-07-28' } } });
  await client.connect(new StreamableHTTPClientTransport(url));
  return client;
}

test.each(['SDK 1', '2025', '2026'] as const)(
  'malformed definitions of one server take no list away from a client (%s), and the tools beside them can be called',
  async (kind) => {
    const client = await connected(kind);
    const names = (items: readonly { name: string }[]) =>
      items.map(({ name }) => name).filter((name) => name.includes('bad'));
    const { tools } = await client.listTools();
    const { resources } = await client.listResources();
    const { resourceTemplates } = await client.listResourceTemplates();
    const { prompts } = await client.listPrompts();
    expect([
      names(tools).length,
      names(tools).includes('bad__list'),
      tools.some(({ name }) => name === 'good__echo'),
      resources.map(({ uri, name }) => [uri, name]),
      resourceTemplates.map(({ uriTemplate }) => uriTemplate),
      names(prompts),
    ]).toEqual([
      24,
      false,
      true,
      ['bad://1', 'bad://2']
        .map((uri) => [uri, uri])
        .concat(['bad://3', 'bad://4', 'bad://5'].map((uri) => [uri, 'r'])),
      ['bad://{a}', 'bad://x{b}'],
      ['bad__p1', 'bad__p2', 'bad__p3', 'bad__p4'],
    ]);
    const text = async (name: string, args: Record<string, unknown>) =>
      (await client.callTool({ name, arguments: args })).content;
    expect([await text('good__echo', { message: 'hi' }), await text('bad__description_number', {})]).toEqual([
      [{ type: 'text', text: 'hi' }],
      [{ type: 'text', text: 'called' }],
    ]);
    await client.close();
  },
);

test('the status of the server names what was left out and repaired, and the log says it once', async () => {
  const bad = (await listServers(bindery)).find(({ id }) => id === 'bad');
  expect(bad?.reason).toContain(
    'left out: 1 tools (the input schema is not of an object: list); malformed and repaired: ',
  );
  expect(bindery.stderr().split('definitions of a server are left out or repaired').length).toBe(2);
});

test('the search answers beside malformed texts, and finds what a changed entry of the server brings', async () => {
  const find = async (query: string) => {
    const { status, body } = await bindery.api('POST', '/v1/tools/find', { query });
    return [status, (body as { tools: { name: string }[] }).tools.map(({ name }) => name)];
  };
  expect(await find('description number')).toEqual([200, expect.arrayContaining(['bad__description_number'])]);
  await home.writeConfig(config('fixed'));
  await until('the new tool is found', async () => JSON.stringify(await find('sound')).includes('bad__sound'));
  expect((await find('description number'))[1]).not.toContain('bad__description_number');
});
