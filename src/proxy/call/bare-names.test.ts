import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { HttpFixture, legacyHttp } from '../../../test/fixtures/servers/http-server.ts';
import { openSession, requestModern } from '../../../test/support/raw-client.ts';
import { startTestGateway } from '../testing/test-gateway.ts';

const TOOLS: Readonly<Record<string, readonly string[]>> = {
  cortex: ['cortex_query', 'search', 'find_tools', 'read_resource', 'web__search'],
  web: ['search', 'fetch'],
};

const servers: HttpFixture[] = [];
let gateway: Awaited<ReturnType<typeof startTestGateway>>;

beforeAll(async () => {
  for (const names of Object.values(TOOLS)) {
    const tools = names.map((name) => ({ name, inputSchema: { type: 'object' } }));
    const handler = legacyHttp((reply) => {
      if (reply.seen.message?.method !== 'tools/list') return false;
      reply.result({ tools });
      return true;
    });
    servers.push(await new HttpFixture(handler).listen());
  }
  const [cortex, web] = servers as [HttpFixture, HttpFixture];
  gateway = await startTestGateway({
    servers: [
      { id: 'cortex', transport: 'http', url: cortex.url },
      { id: 'web', transport: 'http', url: web.url },
    ],
    profiles: [
      { name: 'default', names: 'qualified' },
      { name: 'alone', names: 'hashed', servers: ['web'] },
      {
        name: 'searched',
        names: 'qualified',
        promotesResources: true,
        search: { exposure: 'search', budgetTokens: 1_000, pinned: [] },
      },
    ],
    policy: OPEN,
  });
});
afterAll(async () => {
  await gateway.close();
  for (const server of servers) await server.close();
});

const OPEN = '{"allowlist":{"servers":["*"]}}';
beforeEach(() => {
  gateway.setPolicy(OPEN);
  gateway.audit.length = 0;
});

/** What a call came to: the server and tool that were called, or the error. */
async function call(name: string, profile = 'default') {
  const session = await openSession(`${gateway.url}/${profile}`);
  const { error } = await session.request('tools/call', { name, arguments: {} });
  const { server, tool, name: recorded, outcome } = gateway.audit[0] ?? {};
  return error ? [error.code, error.message, error.data, recorded, outcome] : [server, tool, recorded];
}

test('a name that exactly one server has is served, and recorded as it was asked', async () => {
  expect(await call('cortex_query')).toEqual(['cortex', 'cortex_query', 'cortex_query']);
  const { result } = await requestModern(gateway.url, 'tools/call', { name: 'fetch', arguments: { a: 1 } });
  expect(result).toMatchObject({ content: [{ text: '{"a":1}' }] });
});

test('a name that several servers have is refused with those that are meant', async () => {
  expect(await call('search')).toEqual([
    -32602,
    'Unknown tool: search. Several servers have one of this name: call cortex__search or web__search',
    { code: 'UNKNOWN_TOOL', candidates: ['cortex__search', 'web__search'] },
    'search',
    'denied',
  ]);
});

test('policy and profile decide who is meant', async () => {
  expect(await call('search', 'alone')).toEqual(['web', 'search', 'search']);
  gateway.audit.length = 0;
  gateway.setPolicy('{"allowlist":{"servers":["*"],"tools":{"cortex":["cortex_query"]}}}');
  expect(await call('search')).toEqual(['web', 'search', 'search']);
  gateway.audit.length = 0;
  gateway.setPolicy('{"allowlist":{"servers":["web"]}}');
  expect(await call('cortex_query')).toEqual([
    -32602,
    'Unknown tool: cortex_query',
    { code: 'UNKNOWN_TOOL' },
    'cortex_query',
    'denied',
  ]);
});

test('a misspelt name is answered with the nearest one that the caller may see, and never with one that policy hides', async () => {
  const hint = async (name: string) => {
    const [, message, data] = await call(name);
    return [message, data];
  };
  expect(await hint('web__fetsh')).toEqual([
    'Unknown tool: web__fetsh. Did you mean web__fetch?',
    { code: 'UNKNOWN_TOOL', nearest: 'web__fetch' },
  ]);
  expect(await hint('cortex_qurey')).toEqual([
    'Unknown tool: cortex_qurey. Did you mean cortex__cortex_query?',
    { code: 'UNKNOWN_TOOL', nearest: 'cortex__cortex_query' },
  ]);
  // Names of one server share its part of the name, which makes none of its tools more likely.
  expect(await hint('cortex__feth')).toEqual([
    'Unknown tool: cortex__feth. Did you mean web__fetch?',
    { code: 'UNKNOWN_TOOL', nearest: 'web__fetch' },
  ]);
  expect(await hint('nothing_like_it')).toEqual(['Unknown tool: nothing_like_it', { code: 'UNKNOWN_TOOL' }]);
  gateway.setPolicy('{"allowlist":{"servers":["*"],"tools":{"web":["search"],"cortex":["search"]}}}');
  expect(await hint('web__fetsh')).toEqual(['Unknown tool: web__fetsh', { code: 'UNKNOWN_TOOL' }]);
  expect(await hint('cortex_qurey')).toEqual(['Unknown tool: cortex_qurey', { code: 'UNKNOWN_TOOL' }]);
});

test('a public name is never taken for the name of another’s tool', async () => {
  expect(await call('web__search')).toEqual(['web', 'search', 'web__search']);
});

test.each(['find_tools', 'read_resource', 'call_tool', 'sign_in', 'get_prompt'])(
  '%s is the gateway’s own name, whoever else has it',
  async (name) => {
    const session = await openSession(gateway.url);
    await session.request('tools/call', { name, arguments: {} });
    expect(gateway.audit.map(({ server }) => server)).toEqual(gateway.audit.map(() => undefined));
    expect(
      servers.flatMap((server) => server.of('tools/call')).filter(({ body }) => body.includes(`"${name}"`)),
    ).toEqual([]);
  },
);

test('a misspelt name of the gateway’s own tools is answered with it where the caller has it listed, and not elsewhere', async () => {
  const nearest = async (name: string, profile: string) => {
    const [, message] = await call(name, profile);
    return /Did you mean (\S+)\?$/.exec(String(message))?.[1];
  };
  const misspelt = ['find_tolls', 'call_tol', 'read_resuorce', 'get_promt', 'sign_on'];
  const asked = (profile: string) => Promise.all(misspelt.map((name) => nearest(name, profile)));
  expect(await asked('searched')).toEqual(['find_tools', 'call_tool', 'read_resource', 'get_prompt', undefined]);
  expect(await asked('default')).toEqual([
    'cortex__find_tools',
    undefined,
    'cortex__read_resource',
    undefined,
    undefined,
  ]);
  expect(await asked('alone')).toEqual([undefined, undefined, undefined, undefined, undefined]);
});
