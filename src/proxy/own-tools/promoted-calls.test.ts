import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type RunningFixture, startSessionFixture } from '../testing/fixture-server.ts';
import { startTestGateway } from '../testing/test-gateway.ts';

let fixture: RunningFixture;
let gateway: Awaited<ReturnType<typeof startTestGateway>>;

beforeAll(async () => {
  fixture = await startSessionFixture();
  gateway = await startTestGateway({
    servers: [{ id: 'notes', transport: 'http', url: fixture.url }],
    profiles: [{ name: 'default', names: 'qualified', promotesResources: true }],
  });
});
afterAll(async () => {
  await gateway.close();
  await fixture.close();
});

describe.each(['auto', 'legacy'] as const)('a client that knows tools alone (%s)', (mode) => {
  let client: Client;
  const call = async (name: string, args: object) => {
    const { content, isError } = await client.callTool({ name, arguments: args as Record<string, unknown> });
    return { content, isError };
  };
  beforeAll(async () => {
    client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
    await client.connect(new StreamableHTTPClientTransport(new URL(gateway.url)));
  });
  afterAll(() => client.close());

  test('sees resources and prompts among its tools [gateway:F1]', async () => {
    const { tools } = await client.listTools();
    expect(tools.slice(0, 2).map(({ name }) => name)).toEqual(['read_resource', 'get_prompt']);
  });

  test('lists and reads resources', async () => {
    expect(JSON.parse(((await call('read_resource', {})).content as { text: string }[])[0]?.text ?? '')).toMatchObject({
      resources: [{ uri: 'note://1' }],
      templates: [],
    });
    expect(await call('read_resource', { uri: 'note://1' })).toEqual({
      content: [{ type: 'resource', resource: { uri: 'note://1', text: 'a note' } }],
      isError: undefined,
    });
  });

  test('lists and gets prompts', async () => {
    expect(JSON.parse(((await call('get_prompt', {})).content as { text: string }[])[0]?.text ?? '')).toMatchObject({
      prompts: [{ name: 'notes__greet' }],
    });
    expect(await call('get_prompt', { name: 'notes__greet', arguments: { who: 'you' } })).toEqual({
      content: [{ type: 'text', text: 'user: Hello you' }],
      isError: undefined,
    });
  });

  test('is told in words what is not there', async () => {
    expect(await call('get_prompt', { name: 'absent' })).toEqual({
      content: [{ type: 'text', text: 'Unknown prompt: absent' }],
      isError: true,
    });
  });

  test('has what it reads recorded as a read', async () => {
    gateway.audit.length = 0;
    await call('read_resource', { uri: 'note://1' });
    expect(gateway.audit.map(({ kind, phase, tool }) => [kind, phase, tool])).toEqual([
      ['read', 'begin', 'note://1'],
      ['read', 'end', undefined],
    ]);
  });
});
