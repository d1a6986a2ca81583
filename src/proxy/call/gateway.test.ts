import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { requestModern } from '../../../test/support/raw-client.ts';
import { type RunningFixture, startModernFixture, startSessionFixture } from '../testing/fixture-server.ts';
import { startTestGateway } from '../testing/test-gateway.ts';

let modern: RunningFixture;
let legacy: RunningFixture;
let gateway: Awaited<ReturnType<typeof startTestGateway>>;

beforeAll(async () => {
  [modern, legacy] = await Promise.all([startModernFixture(), startSessionFixture()]);
  gateway = await startTestGateway({
    servers: [
      { id: 'modern', transport: 'http', url: modern.url },
      { id: 'legacy', transport: 'http', url: legacy.url },
    ],
    profiles: [
      { name: 'default', names: 'qualified' },
      { name: 'bare', names: 'bare', servers: ['legacy'] },
    ],
  });
});
afterAll(async () => {
  await gateway.close();
  await Promise.all([modern.close(), legacy.close()]);
});

async function connect(mode: 'auto' | 'legacy', path = ''): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
  await client.connect(new StreamableHTTPClientTransport(new URL(gateway.url + path)));
  return client;
}

describe.each([
  ['2026-07-28', 'auto'],
  ['2025-11-25', 'legacy'],
] as const)('a client of revision %s', (version, mode) => {
  test('lists the tools of servers of both revisions under their public names', async () => {
    const client = await connect(mode);
    expect(client.getNegotiatedProtocolVersion()).toBe(version);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual([
      'legacy__echo',
      'legacy__fail',
      'legacy__slow',
      'modern__echo',
      'modern__fail',
      'modern__slow',
    ]);
    await client.close();
  });

  test.each(['modern', 'legacy'])('calls a tool of the %s server', async (server) => {
    const client = await connect(mode);
    const { content, isError } = await client.callTool({ name: `${server}__echo`, arguments: { text: 'hi ☂' } });
    expect([content, isError]).toEqual([[{ type: 'text', text: 'hi ☂' }], undefined]);
    const failed = await client.callTool({ name: `${server}__fail`, arguments: {} });
    expect([failed.content, failed.isError]).toEqual([[{ type: 'text', text: 'no luck' }], true]);
    await client.close();
  });

  test.each(['modern', 'legacy'])('gets the progress of a call to the %s server, in order', async (server) => {
    const client = await connect(mode);
    const seen: number[] = [];
    const result = await client.callTool(
      { name: `${server}__slow`, arguments: { steps: 3, pauseMs: 5 } },
      { onprogress: ({ progress }) => seen.push(progress) },
    );
    expect([result.content, seen]).toEqual([[{ type: 'text', text: '3 steps' }], [1, 2, 3]]);
    await client.close();
  });

  test('gets prompts and reads resources of the server that has them', async () => {
    const client = await connect(mode);
    const { messages } = await client.getPrompt({ name: 'legacy__greet', arguments: { who: 'you' } });
    expect(messages).toEqual([{ role: 'user', content: { type: 'text', text: 'Hello you' } }]);
    const { resources } = await client.listResources();
    expect(resources.map(({ uri }) => uri)).toEqual(['note://1', 'bindery://modern/note%3A%2F%2F1']);
    const own = await client.readResource({ uri: 'bindery://modern/note%3A%2F%2F1' });
    expect(own.contents).toEqual([{ uri: 'note://1', text: 'a note' }]);
    await client.close();
  });

  test('gets protocol errors for an unknown tool and an unknown method', async () => {
    const client = await connect(mode);
    await expect(client.callTool({ name: 'nothing', arguments: {} })).rejects.toMatchObject({ code: -32602 });
    await client.close();
  });
});

test('every attempt is recorded before it is sent and before it is answered [gateway:A1] [gateway:U2]', async () => {
  const client = await connect('auto');
  gateway.audit.length = 0;
  await client.callTool({ name: 'modern__echo', arguments: { text: 'x', token: 'hush' } });
  const [begin, end] = gateway.audit;
  expect([begin, end, gateway.audit.length]).toMatchObject([
    {
      kind: 'call',
      phase: 'begin',
      caller: 'local',
      server: 'modern',
      tool: 'echo',
      name: 'modern__echo',
      arguments: { text: 'x', token: '***' },
      decision: 'allow',
      rule: { rule: 'no_policy' },
    },
    { kind: 'call', phase: 'end', call_id: begin?.call_id, outcome: 'ok' },
    2,
  ]);
  await client.close();
});

test('a bare profile shows the server as it is [gateway:R15]', async () => {
  const client = await connect('legacy', '/bare');
  expect([
    client.getServerVersion()?.name,
    client.getInstructions(),
    (await client.listTools()).tools.map(({ name }) => name),
  ]).toEqual(['fixture', 'A fixture.', ['echo', 'fail', 'slow']]);
  expect((await client.callTool({ name: 'echo', arguments: { text: 'bare' } })).content).toEqual([
    { type: 'text', text: 'bare' },
  ]);
  await client.close();
});

test('a bridge that translates for a 2025 client is sent back to initialize; every other client may discover', async () => {
  const discover = (name: string) =>
    requestModern(gateway.url, 'server/discover', {}, { name }).then(({ result, error }) => [
      (result as { supportedVersions?: string[] } | undefined)?.supportedVersions,
      error?.code,
    ]);
  expect([await discover('inspector (via mcp-remote 0.15.1)'), await discover('mcp-remote')]).toEqual([
    [undefined, -32601],
    [['2026-07-28'], undefined],
  ]);
});
