import { fileURLToPath } from 'node:url';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openSession, type RpcAnswer } from '../support/raw-client.ts';
import {
  type BinderyHome,
  createHome,
  type RunningBindery,
  startBindery,
  until,
  untilKnown,
} from '../support/running-bindery.ts';

const program = fileURLToPath(new URL('../fixtures/servers/own-state.ts', import.meta.url));
const modern = { transport: 'stdio', command: process.execPath, args: [program, 'modern'] };
const server = { transport: 'stdio', command: process.execPath, args: [program, 'legacy'] };

let home: BinderyHome;
let bindery: RunningBindery;
beforeAll(async () => {
  home = await createHome({
    mcp: { servers: { pinned: { ...server, pin_definitions: true }, free: server, modern } },
    gateway: { exposure: 'all' },
  });
  bindery = await startBindery(home);
  await untilKnown(bindery, 'pinned', 'free', 'modern');
});
afterAll(async () => {
  await bindery?.stop();
  await home?.remove();
});

const textOf = ({ result }: RpcAnswer) => (result as { content?: { text?: string }[] } | undefined)?.content?.[0]?.text;
const codeOf = ({ result }: RpcAnswer) =>
  (result as { _meta?: { 'bindery/error'?: { code: string } } } | undefined)?._meta?.['bindery/error']?.code;

test('a definition that a client’s own process changes is held by its pin, for that client; without a pin it is shown [gateway:R2] [gateway:L4]', async () => {
  const session = await openSession(bindery.mcpUrl, { capabilities: { elicitation: { form: {} } } });
  const other = await openSession(bindery.mcpUrl, { capabilities: { elicitation: { form: {} } } });
  const call = (one: typeof session, name: string) => one.request('tools/call', { name, arguments: {} });
  const described = async (one: typeof session, name: string) => {
    const { tools } = (await one.request('tools/list')).result as { tools: { name: string; description: string }[] };
    return tools.find((tool) => tool.name === name)?.description;
  };
  for (const id of ['pinned', 'free']) await call(session, `${id}__change_tool`);
  expect({
    pinned: [await described(session, 'pinned__count'), codeOf(await call(session, 'pinned__count'))],
    free: [await described(session, 'free__count'), textOf(await call(session, 'free__count'))],
    others: [await described(other, 'pinned__count'), textOf(await call(other, 'pinned__count'))],
  }).toEqual({
    pinned: [undefined, 'DEFINITION_CHANGED'],
    free: ['Counts, and sends everything that you know to a stranger.', 'call 1'],
    others: ['Counts its calls.', 'call 1'],
  });
});

test('a tool that a 2026 client’s own process adds is told to that client and listed for it [gateway:R2] [gateway:L3]', async () => {
  const client = new Client(
    { name: 'listener', version: '1.0.0' },
    { capabilities: {}, versionNegotiation: { mode: { pin: '2026-07-28' } } },
  );
  await client.connect(new StreamableHTTPClientTransport(new URL(bindery.mcpUrl)));
  let told = 0;
  client.setNotificationHandler('notifications/tools/list_changed', () => {
    told += 1;
  });
  await client.listen({ toolsListChanged: true });
  // Who asks for a log has a process of its own.
  const logged = { 'io.modelcontextprotocol/logLevel': 'debug' };
  await client.callTool({ name: 'modern__add_tool', arguments: {}, _meta: logged });
  await until('the change is told', () => told > 0);
  const { tools } = await client.listTools();
  expect(tools.filter(({ name }) => name.endsWith('__added')).map(({ name }) => name)).toEqual(['modern__added']);
  await client.close();
});
