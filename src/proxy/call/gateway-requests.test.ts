import { expect, test } from 'vitest';
import { BinderyError } from '../../contract/errors.ts';
import type { JsonObject } from '../../contract/json.ts';
import { offeredTools } from '../../gateway/catalogue/server-offer.ts';
import { UpstreamError } from '../../wire/upstream.ts';
import type { Client } from '../message/client.ts';
import { CLIENT, codeOf, exchangeOf, OFFER, OfflineGateway, requestOf } from '../testing/offline-gateway.ts';
import { plainTarget } from './plain-target.ts';

const MODERN: Partial<Client> = { era: '2026', protocolVersion: '2026-07-28', session: undefined };
const BARE = [
  { name: 'default', names: 'qualified' },
  { name: 'bare', names: 'bare', servers: ['s'] },
] as const;
const names = (list: JsonObject[]) => list.map(({ name, uri, uriTemplate }) => name ?? uri ?? uriTemplate);

test('each list is its own, has one page, and says to 2026 clients for how long it may be kept', async () => {
  const world = new OfflineGateway();
  world.setOffers({ ...OFFER, resourceTemplates: [{ uriTemplate: 'a:{b}', name: 'template' }] } as never);
  const lists = ['tools/list', 'prompts/list', 'resources/list', 'resources/templates/list'];
  const members = ['tools', 'prompts', 'resources', 'resourceTemplates'];
  for (const [at, method] of lists.entries()) {
    const [legacy, modern] = [await world.request(method), await world.request(method, undefined, MODERN)];
    const member = members[at] as string;
    expect([Object.keys(legacy.result), Object.keys(modern.result), names(legacy.result[member]).length]).toEqual([
      [member],
      ['resultType', 'ttlMs', 'cacheScope', member],
      1,
    ]);
    expect([modern.result.resultType, modern.result.ttlMs, modern.result.cacheScope]).toEqual([
      'complete',
      0,
      'private',
    ]);
    expect((await world.request(method, { cursor: 'x' })).error?.code).toBe(-32602);
  }
});

test('methods that a revision does not have are not found there, and unknown ones nowhere', async () => {
  const world = new OfflineGateway();
  const status = async (method: string, more: Partial<Client>) => {
    const { error, httpStatus } = await world.request(method, {}, more);
    return [error?.code, httpStatus];
  };
  for (const method of [
    'initialize',
    'ping',
    'logging/setLevel',
    'resources/subscribe',
    'resources/unsubscribe',
    'no/such',
  ])
    expect([method, await status(method, MODERN)]).toEqual([method, [-32601, 404]]);
  expect([await world.request('ping'), await status('no/such', {})]).toEqual([
    { jsonrpc: '2.0', id: 7, result: {} },
    [-32601, 200],
  ]);
  expect((await status('resources/subscribe', {}))[0]).toBe(-32602);
});

test('lists of a client’s own server are asked for before they are given', async () => {
  const settled: string[] = [];
  const ownLists = {
    as: (source: unknown) => source,
    has: () => false,
    settled: async (key: string) => void settled.push(key),
  };
  const world = new OfflineGateway({ ownLists: ownLists as never });
  await world.request('tools/list');
  await world.request('ping');
  expect(settled).toEqual(['session-1']);
});

test('the introduction describes the gateway, or in a bare profile its server', async () => {
  const world = new OfflineGateway();
  world.profiles = BARE;
  const discover = async (profile: string) =>
    (await world.request('server/discover', {}, { ...MODERN, profile })).result;
  const own = await discover('default');
  expect(own).toEqual({
    resultType: 'complete',
    supportedVersions: ['2026-07-28'],
    capabilities: {
      tools: { listChanged: true },
      resources: { subscribe: true, listChanged: true },
      prompts: { listChanged: true },
      logging: {},
      completions: {},
    },
    ttlMs: 0,
    cacheScope: 'private',
    _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'bindery', version: '0' } },
  });
  const bare = async () => {
    const { _meta, capabilities, instructions } = await discover('bare');
    return [_meta['io.modelcontextprotocol/serverInfo'].name, capabilities, instructions, world.connected.splice(0)];
  };
  world.setOffers({ ...OFFER, capabilities: { tools: {}, tasks: {} }, instructions: 'Ask nicely.' });
  // Tasks of the other revision are none that this client could ask for.
  const remembered = await bare();
  world.setOffers({ ...OFFER, instructions: '' });
  expect('instructions' in (await discover('bare'))).toBe(false);
  world.setOffers({ ...OFFER, era: '2026', capabilities: { tools: {}, tasks: {} }, serverInfo: null });
  const withTasks = await bare();
  world.setOffers();
  const connected = await bare();
  expect([remembered, withTasks, connected]).toEqual([
    ['offered', { tools: {} }, 'Ask nicely.', []],
    ['bindery', { tools: {}, tasks: {} }, undefined, []],
    ['scripted', {}, 'How to use it.', ['s session-1']],
  ]);
});

test('a bare profile whose server is held, or waits for a sign-in, still lets clients in', async () => {
  const signIns = {
    canMend: (thrown: unknown) => (thrown as UpstreamError).kind === 'auth',
    waiting: () => ['s'],
    unwrap: (request: object) => request,
  };
  const world = new OfflineGateway({ signIns: signIns as never }, {}, { isQuarantined: () => true });
  world.profiles = BARE;
  const discover = async () => {
    const { result, error } = await world.request('server/discover', {}, { ...MODERN, profile: 'bare' });
    return error
      ? 'failed'
      : [result._meta['io.modelcontextprotocol/serverInfo'].name, Object.keys(result.capabilities)];
  };
  const own = ['bindery', ['tools', 'resources', 'prompts', 'logging', 'completions']];
  world.setOffers();
  // Nobody connects to a server of which nothing is accepted.
  expect([await discover(), world.connected]).toEqual([own, []]);
  const open = new OfflineGateway({ signIns: signIns as never });
  open.profiles = BARE;
  open.setOffers();
  const introduced = async (kind: 'auth' | 'lost') => {
    open.connect = () => Promise.reject(new UpstreamError(kind, 'no'));
    const { result } = await open.request('server/discover', {}, { ...MODERN, profile: 'bare' });
    return result?._meta['io.modelcontextprotocol/serverInfo'].name ?? 'failed';
  };
  expect([await introduced('auth'), await introduced('lost')]).toEqual(['bindery', 'failed']);
});

test('a tool of a bare server that its caller has not signed in to is sent all the same: the attempt asks for the sign-in', async () => {
  let waiting = ['s'];
  const signIns = { canMend: () => false, waiting: () => waiting, unwrap: (request: object) => request };
  const world = new OfflineGateway({ signIns: signIns as never });
  world.profiles = [...BARE, { name: 'one', names: 'qualified', servers: ['s'] }];
  world.setOffers();
  const call = async (profile: string) => codeOf(await world.request('tools/call', { name: 'hidden' }, { profile }));
  const [bare, qualified] = [await call('bare'), await call('one')];
  const sent = world.upstream.sent.map(({ params }) => params.name);
  waiting = ['other'];
  expect([bare, qualified, sent, await call('bare')]).toEqual(['ok', 'rpc -32602', ['hidden'], 'SERVER_UNAVAILABLE']);
  expect(world.audit.map(({ rule }) => rule?.rule)).toEqual([
    'no_policy',
    undefined,
    'unknown_tool',
    'server_unavailable',
  ]);
});

test('the sign-in is a tool of the gateway if sign-ins exist; in a bare profile the name belongs to the server', async () => {
  const signIns = {
    canMend: () => false,
    waiting: () => [],
    isPerUser: () => false,
    unwrap: (request: object) => request,
  };
  const called = async (world: OfflineGateway, profile: string) => {
    world.profiles = BARE;
    return codeOf(await world.request('tools/call', { name: 'sign_in', arguments: {} }, { profile }));
  };
  const withSignIns = () => new OfflineGateway({ signIns: signIns as never });
  expect([
    await called(withSignIns(), 'default'),
    await called(withSignIns(), 'bare'),
    await called(new OfflineGateway(), 'default'),
  ]).toEqual(['INVALID_ARGUMENTS', 'rpc -32602', 'rpc -32602']);
});

test('an unknown tool is waited for during a discovery or probe, and otherwise refused at once', async () => {
  const waits: string[] = [];
  let world = new OfflineGateway();
  const open = (looking: Promise<void> | undefined, undiscovered: readonly string[]) => {
    waits.length = 0;
    world = new OfflineGateway({
      unprobed: () => (looking === undefined ? [] : ['s']),
      untilProbed: async (_signal, servers) => {
        waits.push(`looking ${servers}`);
        await looking;
        world.setOffers(OFFER);
      },
      undiscovered: () => undiscovered,
      untilDiscovered: async (_signal, servers) => {
        waits.push(`until ${servers}`);
        await new Promise(setImmediate);
        world.setOffers(OFFER);
      },
    });
    world.setOffers();
  };
  const call = async (more: Partial<Client> = {}) => [
    codeOf(await world.request('tools/call', { name: 's__t' }, more)),
    [...waits],
  ];
  const askable = { capabilities: { roots: {} } };
  open(Promise.resolve(), []);
  const looking = await call(askable);
  open(Promise.resolve(), []);
  const unasked = await call();
  open(undefined, ['s']);
  const discovered = await call();
  const again = await call();
  expect([looking, unasked, discovered, again]).toEqual([
    ['ok', ['looking s']],
    ['rpc -32602', []],
    ['ok', ['until s']],
    ['ok', ['until s']],
  ]);
  open(Promise.resolve(), []);
  world.setOffers(OFFER);
  // A tool that is known is not looked for.
  expect(await call(askable)).toEqual(['ok', []]);
  // The same for prompts and resources.
  open(undefined, ['s']);
  const prompt = codeOf(await world.request('prompts/get', { name: 's__p' }));
  open(undefined, ['s']);
  const read = codeOf(await world.request('resources/read', { uri: 'note:1' }));
  expect([prompt, read, waits]).toEqual(['ok', 'ok', ['until undefined']]);
});

test('a call without a name, and whatever names nothing, is refused and recorded with the digest of its arguments alone', async () => {
  const world = new OfflineGateway();
  const codes = [
    await world.request('tools/call', { arguments: { a: 1 } }),
    await world.request('tools/call', { name: 'nothing', arguments: { a: 1 } }),
    await world.request('tools/call', { name: 'nothing' }),
    await world.request('prompts/get', { name: 'nothing', arguments: { a: 1 } }),
    await world.request('prompts/get', {}),
    await world.request('resources/read', {}),
    await world.request('resources/read', { uri: 'no:1', arguments: { a: 1 } }, MODERN),
  ].map(codeOf);
  expect(codes).toEqual(codes.map((code, at) => (at < 6 ? 'rpc -32602' : code)));
  expect(
    world.audit.map(({ kind, rule, arguments_sha256 }) => [kind, rule?.rule, arguments_sha256 !== undefined]),
  ).toEqual([
    ['call', 'invalid_request', true],
    ['call', 'unknown_tool', true],
    ['call', 'unknown_tool', true],
    ['prompt', 'unknown_prompt', true],
    ['prompt', 'invalid_request', true],
    ['read', 'invalid_request', false],
    ...world.audit.slice(6).map(({ kind, rule }) => [kind, rule?.rule, false]),
  ]);
  expect(world.upstream.sent.filter(({ method }) => method !== 'resources/read')).toEqual([]);
});

test('arguments that are too large go nowhere', async () => {
  const world = new OfflineGateway();
  const deep = JSON.parse(`${'['.repeat(150)}${']'.repeat(150)}`) as unknown;
  const answer = await world.request('tools/call', { name: 's__t', arguments: { deep } });
  expect([codeOf(answer) === 'ok', world.upstream.sent, world.audit.length]).toEqual([false, [], 1]);
  // Whoever read the request may have found that, or nobody has looked yet.
  const small = requestOf('tools/call', { name: 's__t', arguments: {} });
  const found = { ...small, oversized: new BinderyError('INVALID_ARGUMENTS', { detail: 'too many' }) };
  const unseen = { ...small, params: { name: 's__t', arguments: { deep } } };
  for (const request of [found, unseen]) await world.gateway.handle(CLIENT, request, exchangeOf());
  expect([world.upstream.sent, world.audit.length]).toEqual([[], 3]);
});

test('a client’s log level applies to it, and is sent to the servers of its own connections', async () => {
  const told: unknown[] = [];
  const forgotten: string[] = [];
  const subscriptions = {
    prepare: async ({ server, key }: { server: string; key: string }, level: string) =>
      void told.push([server, key, level]),
    forget: (key: string) => void forgotten.push(key),
  };
  const world = new OfflineGateway({ subscriptions: subscriptions as never });
  world.own = [{ server: 's', upstream: world.upstream as never }];
  const client: Client = { ...CLIENT };
  const set = (level: unknown) =>
    world.gateway.handle(client, requestOf('logging/setLevel', { level }), exchangeOf()).then(
      (bytes) => Buffer.from(bytes).toString(),
      ({ code }: { code: number }) => code,
    );
  expect([
    await set('loud'),
    client.logLevel,
    await set('error'),
    client.logLevel,
    world.logLevels.of('session-1'),
  ]).toEqual([-32602, undefined, '{"jsonrpc":"2.0","id":7,"result":{}}', 'error', 'error']);
  expect(told).toEqual([['s', 'session-1', 'error']]);
  world.gateway.forget('session-1');
  expect([world.logLevels.of('session-1'), forgotten]).toEqual([undefined, ['session-1']]);
});

test('found tools are forgotten with their client', async () => {
  const world = new OfflineGateway();
  world.profiles = [
    { name: 'default', names: 'qualified', search: { exposure: 'search', budgetTokens: 1_000, pinned: [] } },
  ];
  const weather = { name: 'weather', description: 'The weather of a city.', inputSchema: { type: 'object' } };
  world.setOffers({ ...OFFER, tools: offeredTools([weather] as never, { pinned: false, inUse: new Map() }) });
  const listed = async () => names((await world.request('tools/list')).result.tools);
  const before = await listed();
  await world.request('tools/call', { name: 'find_tools', arguments: { query: 'weather' } });
  const after = await listed();
  world.gateway.forget('session-1');
  expect([before, after, await listed()]).toEqual([
    ['find_tools', 'call_tool'],
    ['find_tools', 'call_tool', 's__weather'],
    ['find_tools', 'call_tool'],
  ]);
});

test('a call that could be asked about, counted or seen by its caller alone may not be served by any process', () => {
  const world = new OfflineGateway(
    {},
    {},
    { privateTo: (_profile, caller) => (caller === 'key:2' ? { ...world.source } : undefined) },
  );
  const target = (more: Partial<Client> = {}, params: object = {}, method = 'tools/call') =>
    plainTarget(world.gateway, { ...CLIENT, ...more }, requestOf(method, { name: 's__t', ...params }));
  const policy = (operation: object) =>
    world.setPolicy({ allowlist: { servers: ['s'], operations: { t: operation } } });
  const plain = [
    target(),
    target({ caller: 'key:2' }),
    target({ capabilities: { roots: {} } }),
    target({}, { task: {} }),
  ];
  expect(plain).toEqual(['s', undefined, undefined, undefined]);
  expect([target({}, {}, 'prompts/get'), target({}, { name: 7 }), target({}, { name: 's__none' })]).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
  const judged = [{}, { rate_per_minute: 1 }, { max_concurrency: 1 }, { approval_required: true }].map((operation) => {
    policy(operation);
    return target();
  });
  world.setPolicy({ allowlist: { servers: ['s'], writes: 'deny' } });
  expect([judged, target()]).toEqual([['s', undefined, undefined, undefined], undefined]);
  const [tool] = OFFER.tools;
  world.setOffers({ ...OFFER, tools: [{ ...tool, status: 'changed' } as never] });
  expect(target()).toBeUndefined();
});

test('resources that a profile promotes to tools are read like any other', async () => {
  const world = new OfflineGateway();
  world.upstream.answer = () => '{"contents":[{"uri":"note:1","text":"a note"}]}';
  const read = async () => world.request('tools/call', { name: 'read_resource', arguments: { uri: 'note:1' } });
  const without = codeOf(await read());
  world.profiles = [{ name: 'default', names: 'qualified', promotesResources: true }];
  expect([without, (await read()).result.content, world.upstream.sent.map(({ method }) => method)]).toEqual([
    'rpc -32602',
    [{ type: 'resource', resource: { uri: 'note:1', text: 'a note' } }],
    ['resources/read'],
  ]);
});
