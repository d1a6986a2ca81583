import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { HttpFixture, legacyHttp } from '../../../test/fixtures/servers/http-server.ts';
import { openSession, requestModern } from '../../../test/support/raw-client.ts';
import { type RunningFixture, startSessionFixture } from '../testing/fixture-server.ts';
import { startTestGateway } from '../testing/test-gateway.ts';

let fixture: RunningFixture;
let gateway: Awaited<ReturnType<typeof startTestGateway>>;
let session: Awaited<ReturnType<typeof openSession>>;
beforeAll(async () => {
  fixture = await startSessionFixture();
  gateway = await startTestGateway({
    servers: [{ id: 's', transport: 'http', url: fixture.url }],
    profiles: [{ name: 'default', names: 'qualified', promotesResources: true }],
  });
  session = await openSession(gateway.url, { capabilities: { elicitation: {} } });
});
afterAll(async () => {
  await gateway.close();
  await fixture.close();
});

/** Values that break code which takes them for texts, and others. */
const wrong = fc.oneof(
  fc.constantFrom<unknown[]>(
    { toString: 'x' },
    { toString: null, valueOf: null },
    [{ toString: 1 }],
    null,
    7,
    true,
    [],
  ),
  fc.jsonValue(),
);

/** Requests that are attempts, with a member of a wrong type each. */
const attempts: Readonly<Record<string, (value: unknown) => [method: string, params: object]>> = {
  'the name of a tool': (name) => ['tools/call', { name, arguments: {} }],
  'the arguments of find_tools': (args) => ['tools/call', { name: 'find_tools', arguments: args }],
  'query of find_tools': (query) => ['tools/call', { name: 'find_tools', arguments: { query } }],
  'queries of find_tools': (queries) => ['tools/call', { name: 'find_tools', arguments: { queries } }],
  'budget of find_tools': (budget) => ['tools/call', { name: 'find_tools', arguments: { query: 'x', budget } }],
  'limit of find_tools': (limit) => ['tools/call', { name: 'find_tools', arguments: { query: 'x', limit } }],
  'server of find_tools': (server) => ['tools/call', { name: 'find_tools', arguments: { query: 'x', server } }],
  'the arguments of call_tool': (args) => ['tools/call', { name: 'call_tool', arguments: args }],
  'name of call_tool': (name) => ['tools/call', { name: 'call_tool', arguments: { name } }],
  'arguments of call_tool': (args) => [
    'tools/call',
    { name: 'call_tool', arguments: { name: 's__echo', arguments: args } },
  ],
  'uri of a read': (uri) => ['resources/read', { uri }],
  'the name of a prompt': (name) => ['prompts/get', { name }],
};

test.each(Object.keys(attempts))(
  '%s may be anything: it is answered as an attempt and recorded once [gateway:U1]',
  async (which) => {
    await fc.assert(
      fc.asyncProperty(wrong, async (value) => {
        gateway.audit.length = 0;
        const [method, params] = (attempts[which] as (value: unknown) => [string, object])(value);
        for (const answer of [
          await session.request(method, params),
          await requestModern(gateway.url, method, { ...params }),
        ]) {
          expect(answer.error?.message ?? '').not.toMatch(/^Internal/);
          expect(JSON.stringify(answer.result ?? '')).not.toContain('INTERNAL');
        }
        const calls = new Set(gateway.audit.map(({ call_id }) => call_id));
        expect([value, calls.size]).toEqual([value, 2]);
      }),
      { numRuns: 25 },
    );
  },
);

/** Requests that are none, and calls of tools that stand for others. */
const others: Readonly<Record<string, (value: unknown) => [method: string, params: object]>> = {
  'uri of read_resource': (uri) => ['tools/call', { name: 'read_resource', arguments: { uri } }],
  'name of get_prompt': (name) => ['tools/call', { name: 'get_prompt', arguments: { name } }],
  'arguments of get_prompt': (args) => [
    'tools/call',
    { name: 'get_prompt', arguments: { name: 's__greet', arguments: args } },
  ],
  'ref of a completion': (ref) => ['completion/complete', { ref, argument: { name: 'a', value: 'b' } }],
  'name in a ref': (name) => ['completion/complete', { ref: { type: 'ref/prompt', name }, argument: {} }],
  'uri in a ref': (uri) => ['completion/complete', { ref: { type: 'ref/resource', uri }, argument: {} }],
  'uri of a subscription': (uri) => ['resources/subscribe', { uri }],
  'a level': (level) => ['logging/setLevel', { level }],
  'a cursor': (cursor) => ['tools/list', { cursor }],
  'the id of a task': (taskId) => ['tasks/get', { taskId }],
  'the state of a round': (requestState) => ['tools/call', { name: 's__echo', arguments: { text: 'x' }, requestState }],
  'the answers of a round': (inputResponses) => [
    'tools/call',
    { name: 's__echo', arguments: { text: 'x' }, inputResponses },
  ],
};

test.each(Object.keys(others))('%s may be anything, and nothing breaks', async (which) => {
  await fc.assert(
    fc.asyncProperty(wrong, async (value) => {
      const [method, params] = (others[which] as (value: unknown) => [string, object])(value);
      const answer = await session.request(method, params);
      expect([value, answer.error?.message ?? '']).toEqual([value, expect.not.stringMatching(/^Internal/)]);
      expect(JSON.stringify(answer.result ?? '')).not.toContain('INTERNAL');
    }),
    { numRuns: 25 },
  );
});

test.each(['code', 'message', 'data'])(
  'the %s of an error that a client answers with may be anything',
  async (member) => {
    await fc.assert(
      fc.asyncProperty(wrong, async (value) => {
        const error = { code: -1, message: 'no', [member]: value };
        const response = await session.send({ id: 'bindery-local-00000000-1', error });
        expect([value, response.status]).toEqual([value, 202]);
      }),
      { numRuns: 25 },
    );
  },
);

test('a server that lists things without a name takes nothing from the lists of others', async () => {
  const odd = { toString: 'x' };
  const lists: Readonly<Record<string, object>> = {
    'tools/list': { tools: [{ name: odd }, { name: 'fine', inputSchema: { $schema: odd, type: 'object' } }] },
    'prompts/list': { prompts: [{ name: odd }, { name: 7 }, { name: 'p' }] },
    'resources/list': { resources: [{ uri: odd }, { uri: odd }, { uri: 'r://1' }] },
    'resources/templates/list': { resourceTemplates: [{ uriTemplate: odd }, { uriTemplate: 't://{x}' }] },
  };
  const server = await new HttpFixture(
    legacyHttp((reply) => {
      const { method, params } = reply.seen.message ?? {};
      const capabilities = { tools: {}, prompts: {}, resources: {} };
      const serverInfo = { name: 'odd', version: '1' };
      if (method === 'initialize') reply.result({ ...params, serverInfo, capabilities });
      else if (lists[method ?? '']) reply.result(lists[method ?? ''] as object);
      else return false;
      return true;
    }),
  ).listen();
  const both = await startTestGateway({
    servers: [
      { id: 'a', transport: 'http', url: server.url },
      { id: 's', transport: 'http', url: fixture.url },
    ],
  });
  try {
    const client = await openSession(both.url);
    const named = async (method: string, member: string, key: string) => {
      const { result } = await client.request(method);
      return (result as Record<string, Record<string, unknown>[]>)[member]?.map((item) => item[key]);
    };
    expect([
      await named('prompts/list', 'prompts', 'name'),
      await named('resources/list', 'resources', 'uri'),
      await named('resources/templates/list', 'resourceTemplates', 'uriTemplate'),
      (await client.request('tools/call', { name: 'call_tool', arguments: { name: 'a__fine', arguments: {} } })).result,
    ]).toEqual([['a__p', 's__greet'], ['r://1', 'note://1'], ['t://{x}'], { content: [{ type: 'text', text: '{}' }] }]);
  } finally {
    await both.close();
    await server.close();
  }
});

test('a name of call_tool that is no text is called so, and is taken for no tool', async () => {
  const details: unknown[] = [];
  for (const args of [{ name: ['s__echo'] }, { name: null }, { arguments: {} }]) {
    const { result } = await session.request('tools/call', { name: 'call_tool', arguments: args });
    details.push((result as { content: { text: string }[] }).content[0]?.text);
  }
  expect(details).toEqual([
    expect.stringContaining('/name: must be the name of a tool, but is an array'),
    expect.stringContaining('/name: must be the name of a tool, but is null'),
    expect.stringContaining('/name: must be the name of a tool, but is missing'),
  ]);
});
