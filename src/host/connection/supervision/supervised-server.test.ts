import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, expect, test, vi } from 'vitest';
import { World } from '../../../../test/fixtures/connect.ts';
import { HttpFixture, legacyHttp, modernHttp, type Reply } from '../../../../test/fixtures/servers/http-server.ts';
import { UpstreamError } from '../../../wire/upstream.ts';
import { EMPTY_CATALOGUE } from '../catalogue/catalogue.ts';
import { soon, supervise } from '../testing/supervise.ts';

const world = new World();
afterAll(() => world.close());
afterEach(() => {
  vi.restoreAllMocks();
});

const listen = async (handler: ConstructorParameters<typeof HttpFixture>[0]) =>
  world.keep(await new HttpFixture(handler).listen());
const TOOL = { name: 'echo', description: 'echo', inputSchema: { type: 'object' } };
/** What a server lists, which a test may change. */
const listing = (lists: { tools: object[] }) => (reply: Reply) => {
  if (reply.seen.message?.method !== 'tools/list') return false;
  reply.result({ tools: lists.tools });
  return true;
};
const failing = async () => listen((reply) => reply.json({}, 500));

test('a server is connecting, then ready with its properties; concurrent callers wait for the same connection', async () => {
  const fixture = await listen(legacyHttp());
  const { server, seen, told, clock } = supervise(world, { url: fixture.url });
  expect(server.status).toMatchObject({
    state: 'connecting',
    reason: undefined,
    connected: false,
    tools: 0,
    transport: 'http',
  });
  const [one, two] = [server.connect(), server.connect()];
  expect([(await one) === (await two), server.live === (await one), await server.connect()]).toEqual([
    true,
    true,
    await one,
  ]);
  expect([told(), fixture.of('initialize').length, seen.turns]).toEqual([['connecting', 'ready'], 1, 0]);
  const { stderr, lastError, lastProbedAt, isReportedByPeer, ...status } = server.status;
  expect([status, stderr, lastError, lastProbedAt, isReportedByPeer]).toEqual([
    {
      id: 'http',
      transport: 'http',
      state: 'ready',
      reason: undefined,
      connected: true,
      era: '2025',
      protocolVersion: '2025-11-25',
      serverInfo: { name: 'fixture', version: '1.0.0' },
      tools: 1,
      lastConnectedAt: clock.now,
    },
    ...[undefined, undefined, undefined, undefined],
  ]);
  expect([seen.changes.map(({ tools }) => tools.added), server.remembered]).toEqual([[['echo']], '2025']);
  expect(await server.address(new AbortController().signal)).toBe(fixture.url);
});

test('a failed server shows why and when it retries, waits for its turn, and is retried at once for a caller', async () => {
  const fixture = await failing();
  const { server, seen, log, told } = supervise(world, { url: fixture.url }, { random: () => 0.5025 });
  await expect(server.connect()).rejects.toMatchObject({ kind: 'http' });
  const first = told();
  await expect(server.connect()).rejects.toMatchObject({ kind: 'http' });
  const second = told();
  expect([first[0], first[1], second[0], second[1], seen.turns]).toEqual([
    'connecting',
    expect.stringMatching(/^error: .*HTTP 500.* \(trying again in 2 s\)$/),
    expect.stringMatching(/^connecting: .*HTTP 500.* \(attempt 2\)$/),
    expect.stringMatching(/\(trying again in 3 s\)$/),
    1,
  ]);
  expect([
    server.status.tools,
    server.status.lastError,
    log.lines.map(({ level, message }) => `${level}: ${message}`),
  ]).toEqual([
    0,
    expect.stringContaining('HTTP 500'),
    // The second time it failed alike.
    ['warn: server failed', 'info: server failed'],
  ]);
  fixture.handler = legacyHttp();
  await soon(() => server.status.state === 'ready');
  expect(told()).toEqual([expect.stringMatching(/^connecting: .*HTTP 500.* \(attempt 3\)$/), 'ready']);
});

test('a hanging start shows what it waits for, for how long, and the previous error', async () => {
  const fixture = await failing();
  const { server, clock } = supervise(world, { url: fixture.url });
  await server.connect().catch(() => {});
  fixture.handler = () => {};
  const asked = fixture.seen.length;
  const hanging = server.connect().catch(({ kind }: UpstreamError) => kind);
  await soon(() => fixture.seen.length > asked);
  const atOnce = server.status.reason;
  clock.now += 17_000;
  expect([atOnce, server.status.reason]).toEqual([
    expect.stringMatching(/HTTP 500.* \(attempt 2\)$/),
    expect.stringMatching(/HTTP 500.* \(attempt 2\); waiting for its first answer for 17 s$/),
  ]);
  await server.stop(0, AbortSignal.abort());
  expect(await hanging).toBe('cancelled');
});

test('a manual reconnect resets failures and opens another connection', async () => {
  const fixture = await failing();
  const { server, seen, told } = supervise(world, { url: fixture.url });
  await server.connect().catch(() => {});
  fixture.handler = legacyHttp();
  await server.reconnect();
  expect([told().slice(2), seen.turns]).toEqual([['connecting', 'ready'], 0]);
  const before = server.live;
  await server.reconnect();
  expect([server.live === before, before?.closed, fixture.methods.includes('DELETE')]).toEqual([false, true, true]);
  before?.emit('close', new UpstreamError('lost', 'late'));
  expect(server.status.state).toBe('ready');
});

test('a reconnect aborts a hanging attempt, which does not count as a failure', async () => {
  const fixture = await listen(() => {});
  const { server, log } = supervise(world, { url: fixture.url });
  const hanging = server.connect().catch(({ kind }: UpstreamError) => kind);
  await soon(() => fixture.seen.length > 0);
  fixture.handler = legacyHttp();
  await server.reconnect();
  expect([await hanging, server.status.state, log.lines]).toEqual(['cancelled', 'ready', []]);
});

test('an idle server is ready without a connection, keeps its tools, and reconnects when needed', async () => {
  const fixture = await listen(legacyHttp());
  const { server, told } = supervise(world, { url: fixture.url });
  await server.rest();
  expect(told()).toEqual([]);
  const connection = await server.connect();
  told();
  await server.rest();
  expect([told(), connection.closed, server.live, server.status.tools]).toEqual([['ready: idle'], true, undefined, 1]);
  await server.connect();
  expect(server.status).toMatchObject({ state: 'ready', connected: true });
  const resting = supervise(world, { url: fixture.url }, {}, { ...EMPTY_CATALOGUE, tools: [TOOL] });
  expect(resting.server.status).toMatchObject({ state: 'ready', reason: 'idle', connected: false, tools: 1 });
});

test('a server without requests becomes idle by itself only if its entry says so', async () => {
  const fixture = await listen(legacyHttp());
  const [stops, stays] = [
    supervise(world, { url: fixture.url, idleStopMs: 1 }),
    supervise(world, { url: fixture.url }),
  ];
  await Promise.all([stops.server.connect(), stays.server.connect()]);
  await soon(() => stops.server.status.reason === 'idle');
  expect([stops.server.live, stays.server.live === undefined]).toEqual([undefined, false]);
});

test('a connection that is lost early is an error with backoff; a stable one reconnects at once', async () => {
  const fixture = await listen(legacyHttp());
  const { server, told, log } = supervise(world, { url: fixture.url });
  const connection = await server.connect();
  told();
  connection.emit('close', new UpstreamError('lost', 'it broke'));
  expect([told(), server.live, log.lines.length]).toEqual([['error: it broke (trying again in 1 s)'], undefined, 1]);
  expect(server.status.tools).toBe(0);
  const again = await server.connect();
  told();
  const now = performance.now.bind(performance);
  vi.spyOn(performance, 'now').mockImplementation(() => now() + 5_000);
  again.emit('close', new UpstreamError('lost', 'it broke'));
  vi.restoreAllMocks();
  expect(told()).toEqual(['connecting: it broke (reconnecting)']);
  await soon(() => server.status.state === 'ready');
  expect(told()).toEqual(['connecting', 'ready']);
});

test('trouble on a connection triggers a health check; a lost sign-in closes it, and a scope that one call lacks does not', async () => {
  const fixture = await listen(legacyHttp());
  const { server, told } = supervise(world, { url: fixture.url });
  const connection = await server.connect();
  told();
  const trouble = (kind: 'auth' | 'refused', members: object = {}) =>
    connection.emit('trouble', new UpstreamError(kind, kind, members));
  trouble('auth', { signIn: true, scope: 'more' });
  trouble('auth');
  await sleep(30);
  expect([server.live === connection, fixture.of('ping').length]).toEqual([true, 0]);
  trouble('refused');
  await soon(() => fixture.of('ping').length === 1);
  await soon(() => server.status.lastProbedAt !== undefined);
  trouble('auth', { signIn: true });
  await soon(() => connection.closed);
  expect([server.status.state, server.status.reason, told()]).toEqual([
    'auth_required',
    'auth',
    ['auth_required: auth'],
  ]);
  await sleep(30);
  expect(server.status.state).toBe('auth_required');
});

test('notifications are forwarded, except list changes, which trigger a new listing', async () => {
  const lists = { tools: [TOOL] as object[] };
  const fixture = await listen(legacyHttp(listing(lists)));
  const { server, seen, told, log } = supervise(world, { url: fixture.url });
  const connection = await server.connect();
  const say = (method: string) => connection.emit('notification', { method });
  say('notifications/message');
  say('notifications/resources/updated');
  await sleep(150);
  expect([seen.notifications.map(({ method }) => method), fixture.of('tools/list').length]).toEqual([
    ['notifications/message', 'notifications/resources/updated'],
    1,
  ]);
  lists.tools = [TOOL, { ...TOOL, name: 'more' }, { ...TOOL, name: 'more' }];
  told();
  say('notifications/tools/list_changed');
  await soon(() => seen.changes.length === 2);
  expect([seen.changes[1]?.tools, server.status.tools, log.lines]).toEqual([
    { added: ['more'], removed: [], changed: [] },
    2,
    [
      {
        level: 'warn',
        message: 'tool left out',
        fields: { server: 'http', tool: 'more', reason: 'it is listed twice' },
      },
    ],
  ]);
  for (const kind of ['resources', 'prompts']) {
    const before = fixture.of('tools/list').length;
    say(`notifications/${kind}/list_changed`);
    await soon(() => fixture.of('tools/list').length > before);
  }
  expect(seen.changes.length).toBe(2);
});

test('if a new listing fails, the old lists stay, and the state says so until a listing succeeds', async () => {
  let fails = false;
  const fixture = await listen(
    legacyHttp((reply) => {
      if (!fails || reply.seen.message?.method !== 'tools/list') return false;
      reply.error(-32000, 'not now');
      return true;
    }),
  );
  const { server } = supervise(world, { url: fixture.url });
  const connection = await server.connect();
  fails = true;
  connection.emit('notification', { method: 'notifications/tools/list_changed' });
  await soon(() => server.status.reason !== undefined);
  expect([server.status, server.catalogue.tools.length]).toMatchObject([
    { state: 'ready', reason: 'could not list again: not now', tools: 1 },
    1,
  ]);
  fails = false;
  connection.emit('notification', { method: 'notifications/tools/list_changed' });
  await soon(() => server.status.reason === undefined);
});

test('a failing list other than the tools leaves the server ready, and is named', async () => {
  const fixture = await listen(
    legacyHttp((reply) => {
      const method = reply.seen.message?.method;
      if (method === 'prompts/list') reply.error(-32000, 'not now hunter2');
      else if (method === 'initialize')
        reply.result({ protocolVersion: '2025-11-25', serverInfo: {}, capabilities: { tools: {}, prompts: {} } });
      else return false;
      return true;
    }),
  );
  const { server } = supervise(world, { url: fixture.url });
  await server.connect();
  expect(server.status).toMatchObject({ state: 'ready', reason: 'prompts/list: not now ***', tools: 1 });
});

test('a server whose tools cannot be listed is not connected, and its connection is closed', async () => {
  const fixture = await listen(
    legacyHttp((reply) => {
      if (reply.seen.message?.method !== 'tools/list') return false;
      reply.error(-32000, 'no tools');
      return true;
    }),
  );
  const { server } = supervise(world, { url: fixture.url });
  await expect(server.connect()).rejects.toMatchObject({ kind: 'rpc' });
  expect([server.live, server.status.state, fixture.methods.at(-1)]).toEqual([undefined, 'error', 'DELETE']);
});

test('a stopped server reports and retries nothing, whatever was running', async () => {
  const fixture = await failing();
  const { server, told, log } = supervise(world, { url: fixture.url });
  await server.connect().catch(() => {});
  told();
  await server.stop(0, AbortSignal.abort());
  const [lines, requests] = [log.lines.length, fixture.seen.length];
  await sleep(1_100);
  await expect(server.connect()).rejects.toMatchObject({ kind: 'closed', message: 'the server was removed' });
  expect([told(), log.lines.length - lines, fixture.seen.length - requests]).toEqual([[], 0, 0]);
  const running = await listen(legacyHttp());
  const other = supervise(world, { url: running.url });
  const connection = await other.server.connect();
  await other.server.stop(0, AbortSignal.abort());
  expect([connection.closed, other.server.live]).toEqual([true, undefined]);
});

test('stopping in a hurry does not wait for calls, however long the grace period is', async () => {
  // The server never answers a call.
  const fixture = await listen(legacyHttp(({ seen }) => seen.message?.method === 'tools/call'));
  const { server } = supervise(world, { url: fixture.url });
  const connection = await server.connect();
  const call = connection.request({ method: 'tools/call', params: { name: 'echo' } }).catch(({ kind }) => kind);
  await soon(() => fixture.methods.includes('tools/call'));
  const hurry = new AbortController();
  const stopped = server.stop(600_000, hurry.signal);
  hurry.abort();
  await stopped;
  expect([connection.closed, typeof (await call)]).toEqual([true, 'string']);
});

test('a 2026 server is subscribed to if it announces changes; otherwise it is listed again when its lists are stale', async () => {
  const open = async (capabilities: object) => {
    const fixture = await listen(
      modernHttp((reply) => {
        const method = reply.seen.message?.method;
        if (method === 'subscriptions/listen') reply.stream();
        else if (method === 'server/discover')
          reply.result({ resultType: 'complete', supportedVersions: ['2026-07-28'], capabilities });
        else return false;
        return true;
      }),
    );
    const supervised = supervise(world, { url: fixture.url });
    await supervised.server.connect();
    return { fixture, ...supervised };
  };
  const [tells, silent] = [await open({ tools: { listChanged: true } }), await open({ tools: {} })];
  await soon(() => tells.fixture.of('subscriptions/listen').length === 1);
  expect([silent.fixture.of('subscriptions/listen').length, silent.server.remembered]).toEqual([0, '2026']);
  const looks = async ({ fixture, server, clock }: typeof tells, at: number) => {
    const before = fixture.of('tools/list').length;
    clock.now = at;
    server.look();
    const asked = fixture.of('server/discover').length;
    await soon(() => fixture.of('server/discover').length > asked && server.status.lastProbedAt === at);
    await sleep(150);
    return fixture.of('tools/list').length - before;
  };
  expect([await looks(silent, 1_059_999), await looks(silent, 1_060_000), await looks(tells, 1_060_000)]).toEqual([
    0, 1, 0,
  ]);
});

test('a listing that is running when its server becomes idle or stops has no effect', async () => {
  let hangs = false;
  const fixture = await listen(
    legacyHttp((reply) => hangs && reply.seen.message?.method === 'tools/list' && reply.response !== undefined),
  );
  const { server, told } = supervise(world, { url: fixture.url });
  const connection = await server.connect();
  hangs = true;
  connection.emit('notification', { method: 'notifications/tools/list_changed' });
  await soon(() => fixture.of('tools/list').length === 2);
  told();
  await server.rest();
  await sleep(20);
  expect([told(), server.status.reason]).toEqual([['ready: idle'], 'idle']);
});
