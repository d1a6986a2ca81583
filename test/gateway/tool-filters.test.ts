import { fileURLToPath } from 'node:url';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  type BinderyHome,
  createHome,
  type RunningBindery,
  startBindery,
  until,
  untilKnown,
} from '../support/running-bindery.ts';

const stdio = fileURLToPath(new URL('../fixtures/servers/notebook-stdio.ts', import.meta.url));
const configWith = (filter: object) => ({
  mcp: { servers: { pad: { transport: 'stdio', command: process.execPath, args: [stdio], ...filter } } },
});
let home: BinderyHome;
let bindery: RunningBindery;

beforeAll(async () => {
  home = await createHome(configWith({ exclude_tools: ['a*'] }));
  bindery = await startBindery(home);
  await untilKnown(bindery, 'pad');
});
afterAll(async () => {
  await bindery?.stop();
  await home.remove();
});

async function withClient<T>(work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ name: 'filtered', version: '1.0.0' });
  await client.connect(new StreamableHTTPClientTransport(new URL(bindery.mcpUrl)));
  try {
    return await work(client);
  } finally {
    await client.close();
  }
}

const listed = () =>
  withClient(async (client) =>
    (await client.listTools()).tools.map(({ name }) => name).filter((name) => /^pad__/.test(name)),
  );

test('the gateway offers no tool that the entry of its server leaves out, and calls none', async () => {
  expect(await listed()).not.toContain('pad__ask');
  expect(await listed()).toContain('pad__note');
  const called = withClient((client) => client.callTool({ name: 'pad__ask', arguments: { text: '?' } }));
  await expect(called).rejects.toThrow(/pad__ask/);
});

test('another filter in the config holds at once, in both directions', async () => {
  await home.writeConfig(configWith({ include_tools: ['ask'] }));
  await until('the other tools are offered', async () => (await listed()).join() === 'pad__ask');
  await home.writeConfig(configWith({}));
  await until(
    'all tools are offered',
    async () => (await listed()).includes('pad__note') && (await listed()).includes('pad__ask'),
  );
});
