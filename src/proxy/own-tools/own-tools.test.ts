import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { BinderyError } from '../../contract/errors.ts';
import type { ServerOffer } from '../../gateway/catalogue/server-offer.ts';
import { type RunningFixture, startModernFixture } from '../testing/fixture-server.ts';
import { startTestGateway } from '../testing/test-gateway.ts';

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

test.each(['find_tools', 'call_tool', 'echo', ''])(
  '[gateway:F6] [gateway:E3] %j is no tool that call_tool calls',
  async (name) => {
    expect(await call(name)).toEqual([true, expect.stringMatching(/^UNKNOWN_TOOL: /)]);
  },
);

test('[gateway:F6] a name that is not a string is reported by its type', async () => {
  const given = [['s__echo'], { toString: 'x' }, null, 7, undefined];
  const texts = await Promise.all(given.map(async (name) => (await call(name as never))[1]));
  const of = (what: string) => `INVALID_ARGUMENTS: /name: must be the name of a tool, but is ${what}.`;
  expect(texts.map((text) => text.split(' Search')[0])).toEqual(
    ['an array', 'an object', 'null', 'a number', 'missing'].map(of),
  );
});

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

test('[gateway:E3] a caller with wrong arguments does not see the schema of a denied tool', async () => {
  expect(await call('s__slow', { steps: 'many' })).toEqual([true, expect.stringMatching(/^POLICY_DENIED: /)]);
});

test('[gateway:U2] [gateway:E1] a refused use of the two tools is one whole record, and its answer names it', async () => {
  gateway.audit.length = 0;
  const metas: unknown[] = [];
  for (const [name, args] of [
    ['call_tool', { name: 's__gone', arguments: { a: 1, password: 'hush' } }],
    ['call_tool', { name: 's__echo', arguments: { text: 7 } }],
    ['find_tools', { limit: 1 }],
  ] as const)
    metas.push((await client.callTool({ name, arguments: args }))._meta);
  const id = expect.stringMatching(/^[0-9a-f-]{36}$/);
  const digest = expect.stringMatching(/^[0-9a-f]{64}$/);
  const common = {
    phase: 'single',
    call_id: id,
    time: expect.any(String),
    caller: expect.any(String),
    client: expect.any(Object),
    profile: 'default',
    arguments_sha256: digest,
    decision: 'deny',
    outcome: 'denied',
  };
  expect(gateway.audit.map(({ session: _, ...record }) => record)).toEqual([
    {
      ...common,
      kind: 'call',
      name: 's__gone',
      via: 'call_tool',
      rule: { rule: 'unknown_tool' },
    },
    {
      ...common,
      kind: 'call',
      server: 's',
      tool: 'echo',
      name: 's__echo',
      via: 'call_tool',
      arguments: { text: 7 },
      rule: { rule: 'invalid_arguments' },
    },
    {
      ...common,
      kind: 'search',
      tool: 'find_tools',
      name: 'find_tools',
      arguments: { limit: 1 },
      rule: { rule: 'invalid_arguments' },
    },
  ]);
  const [unknown, invalid, search] = gateway.audit.map(({ call_id }) => call_id);
  expect(metas).toEqual([
    { 'bindery/error': { code: 'UNKNOWN_TOOL', call_id: unknown } },
    { 'bindery/error': { code: 'INVALID_ARGUMENTS', server: 's', tool: 'echo', call_id: invalid } },
    { 'bindery/error': { code: 'INVALID_ARGUMENTS', tool: 'find_tools', call_id: search } },
  ]);
});

test('[gateway:R1] [gateway:E2] a call that cannot be recorded is answered with STORE_UNAVAILABLE only', async () => {
  gateway.beforeAppend(() => Promise.reject(new BinderyError('STORE_UNAVAILABLE')));
  const codes: unknown[] = [];
  for (const [name, args] of [
    ['find_tools', { query: 'echo' }],
    ['find_tools', {}],
    ['call_tool', { name: 's__gone' }],
    ['call_tool', { name: 's__echo', arguments: { text: 'x' } }],
    ['s__gone', {}],
  ] as const) {
    const { isError, _meta } = await client.callTool({ name, arguments: args });
    codes.push([isError, (_meta?.['bindery/error'] as { code?: string } | undefined)?.code]);
  }
  const prompt = await client.getPrompt({ name: 's__gone' }).catch((error) => [error.code, error.data.code]);
  gateway.beforeAppend(async () => {});
  expect([codes, prompt]).toEqual([Array(5).fill([true, 'STORE_UNAVAILABLE']), [-32603, 'STORE_UNAVAILABLE']]);
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
      arguments_sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
      result_bytes: expect.any(Number),
      result_sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
      total_us: expect.any(Number),
    },
  ]);
});

test('the first find_tools and call_tool of a client that can be asked wait for the tools that only such clients see', async () => {
  let looking = ['s'];
  const waited: unknown[] = [];
  const own = await startTestGateway({
    servers: [{ id: 's', transport: 'http', url: fixture.url }],
    profiles: [
      { name: 'default', names: 'qualified', search: { exposure: 'search', budgetTokens: 1_000, pinned: [] } },
    ],
    probes: {
      unprobed: () => looking,
      untilProbed: async (_signal, servers) => {
        waited.push(servers);
        looking = [];
        const tools = whole.tools.map((tool) =>
          tool.definition.name === 'echo' ? { ...tool, needs: ['elicitation' as const] } : tool,
        );
        own.setOffer({ ...whole, tools });
      },
    },
  });
  const whole = own.offers.get('s') as ServerOffer;
  const found: unknown[] = [];
  for (const capabilities of [{ elicitation: { form: {} } }, {}]) {
    const asked = new Client({ name: 'test', version: '1' }, { capabilities });
    await asked.connect(new StreamableHTTPClientTransport(new URL(own.url)));
    for (const [name, args] of [
      ['find_tools', { query: 'echo' }],
      ['call_tool', { name: 's__echo', arguments: { text: 'hi' } }],
    ] as const) {
      looking = ['s'];
      own.setOffer({ ...whole, tools: whole.tools.filter(({ definition }) => definition.name !== 'echo') });
      const { content } = await asked.callTool({ name, arguments: args });
      found.push(/"name":"s__echo"|^hi$/.test((content as { text: string }[])[0]?.text ?? ''));
    }
    await asked.close();
  }
  await own.close();
  expect([found, waited]).toEqual([
    [true, true, false, false],
    [undefined, ['s']],
  ]);
});
