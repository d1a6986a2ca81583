import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ServerOffer } from '../gateway/catalogue/server-offer.ts';
import { type RunningFixture, startModernFixture } from './testing/fixture-server.ts';
import { startTestGateway } from './testing/test-gateway.ts';

let fixture: RunningFixture;
let gateway: Awaited<ReturnType<typeof startTestGateway>>;
let client: Client;
beforeAll(async () => {
  fixture = await startModernFixture();
  gateway = await startTestGateway({
    servers: [{ id: 's', transport: 'http', url: fixture.url }],
    profiles: [
      { name: 'default', names: 'qualified', search: { exposure: 'search', budgetTokens: 1_000, pinned: [] } },
    ],
    policy: JSON.stringify({ allowlist: { servers: ['s'], tools: { s: ['echo', 'fail'] } } }),
  });
  client = new Client({ name: 'test', version: '1' });
  await client.connect(new StreamableHTTPClientTransport(new URL(gateway.url)));
});
afterAll(async () => {
  await client.close();
  await gateway.close();
  await fixture.close();
});

const call = async (name: unknown, args?: unknown) => {
  const { content, isError } = await client.callTool({ name: 'call_tool', arguments: { name, arguments: args } });
  return [isError === true, (content as { text: string }[])[0]?.text ?? ''] as const;
};

test('[gateway:F6] call_tool gives the tool’s own result, and audit sees the tool', async () => {
  gateway.audit.length = 0;
  expect([await call('s__echo', { text: 'hi' }), await call('s__fail')]).toEqual([
    [false, 'hi'],
    [true, 'no luck'],
  ]);
  expect(gateway.audit[0]).toMatchObject({ server: 's', tool: 'echo', name: 's__echo', via: 'call_tool' });
});

test.each(['find_tools', 'call_tool', 'echo', '', undefined, 7])(
  '[gateway:F6] [gateway:E3] %j is no tool that call_tool calls',
  async (name) => {
    expect(await call(name)).toEqual([true, expect.stringMatching(/^UNKNOWN_TOOL: /)]);
  },
);

test('[gateway:F6] the nearest names of an unknown one are those that may be called', async () => {
  const [, text] = await call('s__eko');
  expect(text).toBe(
    'UNKNOWN_TOOL: There is no tool "s__eko". The nearest names are s__echo, s__fail. Search with find_tools and call the name that it gives.',
  );
});

test('[gateway:E3] a denied tool is denied, not unknown, and is not found', async () => {
  const { structuredContent } = await client.callTool({
    name: 'find_tools',
    arguments: { query: 'report progress slow' },
  });
  const found = structuredContent as unknown as { tools: { name: string }[] };
  expect([await call('s__slow', { steps: 1, pauseMs: 1 }), found.tools.some(({ name }) => name === 's__slow')]).toEqual(
    [[true, expect.stringMatching(/^POLICY_DENIED: /)], false],
  );
});

test('[gateway:F6] arguments that are no object, or do not fit, are answered with how to correct them', async () => {
  expect([
    await call('s__echo', '{"text":"hi"}'),
    await call('s__echo', ['hi']),
    await call('s__echo', { text: 7 }),
  ]).toEqual([
    [true, expect.stringMatching(/^INVALID_ARGUMENTS: \/arguments: must be an object .* but is a string\. Correct/)],
    [true, expect.stringMatching(/but is an array\. Correct/)],
    [true, expect.stringMatching(/^INVALID_ARGUMENTS: .*\/text: must be string, but is integer/)],
  ]);
});

test('[gateway:F5] both of query and queries, or neither, are refused with a sentence', async () => {
  for (const args of [{}, { query: 'a', queries: ['b'] }]) {
    const { isError, content } = await client.callTool({ name: 'find_tools', arguments: args });
    expect([isError, (content as { text: string }[])[0]?.text]).toEqual([
      true,
      expect.stringMatching(/^INVALID_ARGUMENTS: Pass either query or queries/),
    ]);
  }
});

test('[gateway:L4] call_tool is no way around a definition that waits for a person', async () => {
  const offer = gateway.offers.get('s') as ServerOffer;
  const changed = offer.tools.map((tool) =>
    tool.definition.name === 'echo' ? { ...tool, status: 'changed' as const } : tool,
  );
  gateway.setOffer({ ...offer, tools: changed });
  const answer = await call('s__echo', { text: 'hi' });
  gateway.setOffer(offer);
  expect([answer, await call('s__echo', { text: 'hi' })]).toEqual([
    [true, expect.stringMatching(/^DEFINITION_CHANGED: /)],
    [false, 'hi'],
  ]);
});

test('[gateway:U1] [gateway:U8] a search is recorded, with its secrets masked', async () => {
  gateway.audit.length = 0;
  await client.callTool({ name: 'find_tools', arguments: { query: 'send Bearer abcdefghijklmnop1234 to echo' } });
  expect(gateway.audit).toMatchObject([
    {
      kind: 'search',
      phase: 'single',
      tool: 'find_tools',
      outcome: 'ok',
      arguments: { query: expect.not.stringContaining('abcdefghijklmnop1234') },
    },
  ]);
});
