import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { Client as SdkClient, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Earlier, openSession, requestModern } from '../../../test/support/raw-client.ts';
import { until } from '../../../test/support/running-bindery.ts';
import { SHARING_LIMITS } from '../../host/connection/limits.ts';
import type { ServerSpec } from '../../host/connection/supervision/server-set.ts';
import { startTestGateway } from '../testing/test-gateway.ts';

const program = fileURLToPath(new URL('../../../test/fixtures/servers/own-state.ts', import.meta.url));
const specOf = (id: string): ServerSpec => ({
  id,
  transport: 'stdio',
  command: process.execPath,
  args: [program, id],
  cwd: tmpdir(),
});
const CAPABILITIES = { elicitation: { form: {}, url: {} }, sampling: {} };
const LEVEL = { 'io.modelcontextprotocol/logLevel': 'debug' };

let gateway: Awaited<ReturnType<typeof startTestGateway>>;
beforeAll(async () => {
  gateway = await startTestGateway({ servers: [specOf('legacy'), specOf('modern')] });
});
afterAll(() => gateway.close());

const said = (answer: { result?: unknown }) =>
  ((answer.result as { content?: { text?: string }[] } | undefined)?.content ?? []).map(({ text }) => text).join();

/** A client of the SDK that says a name when it is asked for one. */
async function connect(name: string, mode: 'auto' | 'legacy', { url } = gateway) {
  const client = new SdkClient(
    { name: 'alike', version: '1.0.0' },
    { capabilities: { ...CAPABILITIES, roots: {} }, versionNegotiation: { mode } },
  );
  client.setRequestHandler('roots/list', async () => ({ roots: [{ uri: `file:///home/${name}` }] }));
  const heard: string[] = [];
  client.setRequestHandler('elicitation/create', async ({ params }) => {
    heard.push(params.message);
    return { action: 'accept' as const, content: { name } };
  });
  client.fallbackNotificationHandler = async ({ method }) => void heard.push(method);
  for (const method of ['notifications/tools/list_changed', 'notifications/resources/updated'] as const)
    client.setNotificationHandler(method, () => void heard.push(method));
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  const call = async (tool: string, args: Record<string, unknown> = {}) =>
    said({ result: await client.callTool({ name: tool, arguments: args }) });
  return { client, heard, call };
}

describe.each(['auto', 'legacy'] as const)('a client of the SDK in %s mode', (mode) => {
  test.each(['legacy', 'modern'])(
    'that asks at the same moment as others gets its own answers from a %s server [gateway:R2]',
    async (server) => {
      const names = ['Ann', 'Bob', 'Cem', 'Dee'];
      const clients = await Promise.all(names.map((name) => connect(name, mode)));
      const answers = await Promise.all(clients.map(({ call }) => call(`${server}__ask`)));
      await Promise.all(clients.map(({ client }) => client.close()));
      expect(answers).toEqual(names.map((name) => `hello ${name}`));
    },
  );

  test('is asked for its roots by a server that starts for its call, and answers that first [gateway:R2]', async () => {
    const { client, call } = await connect('Eve', mode);
    await until('they are known', async () => (await call('legacy__roots')) !== 'not known');
    const roots = await call('legacy__roots');
    await client.close();
    // Clients without a session may meet a process that another one has used.
    expect(roots).toMatch(mode === 'legacy' ? /^file:\/\/\/home\/Eve$/ : /^file:\/\/\/home\/[A-Z][a-z]{2}$/);
  });

  test.each(['legacy', 'modern'])('is sent to a page of a %s server [gateway:R2]', async (server) => {
    const { client, call } = await connect('Ann', mode);
    expect(await call(`${server}__page`)).toBe('page: accept');
    await client.close();
  });

  test('is shown the tool that its own process added, and keeps its state [gateway:R2]', async () => {
    const { client, heard, call } = await connect('Ann', mode);
    const other = await connect('Bob', 'legacy');
    const tools = async (one: SdkClient) => (await one.listTools()).tools.map(({ name }) => name);
    await client.listTools();
    expect([await call('legacy__count'), await call('legacy__count')]).toEqual(['call 1', 'call 2']);
    await call('legacy__add_tool');
    expect(await tools(client)).toContain('legacy__added');
    expect(await tools(other.client)).not.toContain('legacy__added');
    expect(await call('legacy__added')).toBe('it was added');
    if (mode === 'legacy') await until('the change was told', () => heard.includes('notifications/tools/list_changed'));
    await Promise.all([client.close(), other.client.close()]);
  });
});

test('a 2026 client hears through its subscription that its own process changed a list and a resource [gateway:E7]', async () => {
  const heard: string[] = [];
  const stop = new AbortController();
  const { resources } = (await requestModern(gateway.url, 'resources/list', {}, { capabilities: CAPABILITIES }))
    .result as { resources: { uri: string; name: string }[] };
  const [note] = resources;
  const listening = requestModern(
    gateway.url,
    'subscriptions/listen',
    { notifications: { toolsListChanged: true, resourceSubscriptions: [note?.uri] } },
    { capabilities: CAPABILITIES, signal: stop.signal, onEarlier: ({ method }: Earlier) => heard.push(method) },
  ).catch(() => undefined);
  await until('it listens', () => heard.length > 0);
  const call = (name: string) =>
    requestModern(gateway.url, 'tools/call', { name, arguments: {} }, { capabilities: CAPABILITIES });
  await call('legacy__touch');
  await call('legacy__add_tool');
  await until('both were told', () => heard.length > 2);
  stop.abort();
  await listening;
  expect(heard.toSorted()).toEqual([
    'notifications/resources/updated',
    'notifications/subscriptions/acknowledged',
    'notifications/tools/list_changed',
  ]);
});

describe.each(['legacy', 'modern'])('lines of the log of a %s server', (server) => {
  const logging = async (line: string, capabilities: object, meta: object) => {
    const lines: unknown[] = [];
    const params = { name: `${server}__log`, arguments: { line }, _meta: meta };
    await requestModern(gateway.url, 'tools/call', params, {
      capabilities,
      onEarlier: ({ params: told }) => lines.push(told?.data),
    });
    return lines;
  };

  test.each([[{}], [CAPABILITIES]])(
    'reach the 2026 call that asked for them, and no other that runs, with %j [gateway:E7]',
    async (capabilities) => {
      const names = ['one', 'two', 'three'];
      const heard = await Promise.all(names.map((name) => logging(name, capabilities, LEVEL)));
      expect([heard, await logging('four', capabilities, {})]).toEqual([names.map((name) => [name]), []]);
    },
  );

  test('reach the 2025 session that set a level [gateway:E7]', async () => {
    const session = await openSession(gateway.url);
    const lines: unknown[] = [];
    const close = await session.listen(({ params }) => lines.push(params?.data));
    await session.request('logging/setLevel', { level: 'debug' });
    await session.request('tools/call', { name: `${server}__log`, arguments: { line: 'mine' } });
    await until('the line came', () => lines.length > 0);
    close();
    await session.end();
    expect(lines).toEqual(['mine']);
  });
});

test('twenty clients that come and go are all served, whether or not they say that they go [gateway:R2]', async () => {
  const answers: string[] = [];
  for (let client = 0; client < 20; client += 1) {
    const session = await openSession(gateway.url, { capabilities: CAPABILITIES });
    answers.push(said(await session.request('tools/call', { name: 'legacy__count', arguments: {} })));
    if (client % 3 === 0) await session.end();
  }
  expect(new Set(answers)).toEqual(new Set(['call 1']));
});

test('more clients than there may be processes wait for one another and are all served [gateway:R2]', async () => {
  const call = (index: number) =>
    requestModern(
      gateway.url,
      'tools/call',
      { name: 'legacy__wait', arguments: { ms: 50 } },
      { capabilities: CAPABILITIES, name: `client ${index}` },
    );
  const answers = await Promise.all(
    Array.from({ length: SHARING_LIMITS.ownProcessesMax + 4 }, (_, index) => call(index)),
  );
  expect(new Set(answers.map(said))).toEqual(new Set(['waited']));
});

test('if a client without a session abandons a call, its process ends, so the server asks no other client [gateway:R2]', async () => {
  const [ann, bob] = await Promise.all([connect('Ann', 'auto'), connect('Bob', 'auto')]);
  const stop = new AbortController();
  const pid = await ann.call('legacy__pid');
  const given = ann.client
    .callTool(
      { name: 'legacy__ask_late', arguments: { ms: 300 } },
      { signal: stop.signal, onprogress: () => stop.abort() },
    )
    .catch(() => 'given up');
  expect(await given).toBe('given up');
  const [waited, next] = [await bob.call('legacy__wait', { ms: 800 }), await bob.call('legacy__pid')];
  expect({ waited, heard: bob.heard, isSame: next === pid }).toEqual({ waited: 'waited', heard: [], isSame: false });
  await Promise.all([ann.client.close(), bob.client.close()]);
});

test('with isolated clients a process serves one call of a client without a session, or one session [gateway:R2]', async () => {
  const apart = await startTestGateway({ servers: [specOf('legacy')], sharing: 'session' });
  try {
    const [ann, bob, old] = await Promise.all([
      connect('Ann', 'auto', apart),
      connect('Bob', 'auto', apart),
      connect('Old', 'legacy', apart),
    ]);
    const counts = [];
    for (const { call } of [ann, ann, bob, old, old]) counts.push(await call('legacy__count'));
    expect(counts).toEqual(['call 1', 'call 1', 'call 1', 'call 1', 'call 2']);
    await ann.call('legacy__add_tool');
    await ann.call('legacy__ask_late', { ms: 100, answersFirst: true });
    expect(await bob.call('legacy__wait', { ms: 400 })).toBe('waited');
    const { tools } = await bob.client.listTools();
    expect([bob.heard, tools.filter(({ name }) => name === 'legacy__added')]).toEqual([[], []]);
    // Those that cannot be asked anything are kept apart as well.
    const call = () => requestModern(apart.url, 'tools/call', { name: 'legacy__count', arguments: {} });
    expect([said(await call()), said(await call())]).toEqual(['call 1', 'call 1']);
    await Promise.all([ann, bob, old].map(({ client }) => client.close()));
  } finally {
    await apart.close();
  }
});

test('a call that a session gives up is cancelled at its server, whose state stays [gateway:R2]', async () => {
  const session = await openSession(gateway.url, { capabilities: CAPABILITIES });
  const stop = new AbortController();
  let hasBegun = false;
  const call = (name: string, args: object, more: object = {}) => {
    return session.request('tools/call', { name, arguments: args, _meta: { progressToken: 't' } }, more);
  };
  expect(said(await call('legacy__count', {}))).toBe('call 1');
  const onEarlier = () => {
    hasBegun = true;
  };
  const given = call('legacy__wait', { ms: 60_000 }, { id: 'w', signal: stop.signal, onEarlier }).catch(
    () => 'given up',
  );
  await until('the call runs', () => hasBegun);
  await session.send({ method: 'notifications/cancelled', params: { requestId: 'w' } });
  stop.abort();
  await given;
  await until('it was cancelled', async () => said(await call('legacy__cancelled', {})) === '1');
  expect(said(await call('legacy__count', {}))).toBe('call 2');
  await session.end();
});

test('2025 clients that die while they are asked leave their processes to the next ones [gateway:R2]', async () => {
  const dying = new AbortController();
  let asked = 0;
  const askedOnes = Array.from({ length: SHARING_LIMITS.ownProcessesMax }, async () => {
    const session = await openSession(gateway.url, { capabilities: CAPABILITIES });
    const onEarlier = ({ method }: Earlier) => {
      if (method === 'elicitation/create') asked += 1;
    };
    const params = { name: 'legacy__ask', arguments: {} };
    await session.request('tools/call', params, { onEarlier, signal: dying.signal }).catch(() => undefined);
  });
  await until('all are asked', () => asked === SHARING_LIMITS.ownProcessesMax);
  dying.abort();
  await Promise.all(askedOnes);
  const next = await openSession(gateway.url, { capabilities: CAPABILITIES });
  expect(said(await next.request('tools/call', { name: 'legacy__count', arguments: {} }))).toBe('call 1');
});
