import { EventEmitter } from 'node:events';
import { expect, test } from 'vitest';
import type { Upstream } from '../../../wire/upstream.ts';
import { SHARING_LIMITS } from '../limits.ts';
import { ClientConnections, type ClientConnectionsOptions, type SharingClient } from './client-connections.ts';

type Opened = EventEmitter & { isCalling: boolean; hasAbandonedCalls: boolean; closed: boolean };

/** Connections whose calls a test begins and ends by hand. */
function openConnections(transport: 'http' | 'stdio', sharing: 'auto' | 'session' = 'session') {
  const own: Opened[] = [];
  const time = { now: 0 };
  const open = (): Opened => {
    const upstream = Object.assign(new EventEmitter().setMaxListeners(0), {
      transport,
      era: '2025',
      sessionBound: true,
      capabilities: { logging: {} },
      isCalling: false,
      hasAbandonedCalls: false,
      closed: false,
      async closeWhenIdle() {
        upstream.closed = true;
        upstream.emit('end');
      },
    });
    return upstream;
  };
  const shared = open() as unknown as Upstream;
  const connections = new ClientConnections({
    shared: () => shared,
    openOwn: async () => {
      own.push(open());
      return own.at(-1) as unknown as Upstream;
    },
    sharing: () => sharing,
    onNotification() {},
    now: () => time.now,
  });
  const call = async (client: SharingClient, server = 's') => {
    const upstream = await connections.connection(server, client, new AbortController().signal);
    (upstream as unknown as Opened).isCalling = true;
    return upstream as unknown as Opened;
  };
  return { connections, own, shared: shared as unknown as Opened, call, time };
}

const session = (key: string): SharingClient => ({ key, era: '2025', capabilities: {}, info: undefined });
const modern: SharingClient = { key: 'k', era: '2026', capabilities: { elicitation: {} }, info: undefined };

const turn = () => new Promise((resolve) => setImmediate(resolve));

function endCall(upstream: Opened): void {
  upstream.isCalling = false;
  upstream.emit('idle');
}

test('a connection on which a call runs is not idle, however long ago the call began [gateway:R2]', async () => {
  const { connections, call, time } = openConnections('http');
  const first = await call(session('k'));
  await turn();
  time.now = SHARING_LIMITS.ownIdleMs * 2;
  connections.closeIdle();
  endCall(first);
  await turn();
  expect([(await call(session('k'))) === first, first.closed]).toEqual([true, false]);
  endCall(first);
  await turn();
  time.now += SHARING_LIMITS.ownIdleMs + 1;
  connections.closeIdle();
  await turn();
  expect([connections.count('s'), first.closed]).toEqual([0, true]);
});

test.each(['http', 'stdio'] as const)(
  'calls over %s of 2026 clients that look alike have a connection each while they run, and take what is idle later [gateway:R2]',
  async (transport) => {
    const { connections, call } = openConnections(transport, 'auto');
    const [one, two] = await Promise.all([call(modern), call(modern)]);
    await turn();
    const three = await call(modern);
    await turn();
    for (const each of [one, two, three]) endCall(each);
    const again = await call(modern);
    expect({
      different: new Set([one, two, three]).size,
      again: again === one,
      count: connections.count('s'),
    }).toEqual({ different: 3, again: true, count: 3 });
  },
);

test('a connection that was opened for a call is not given to another before the call is under way', async () => {
  const { connections } = openConnections('http');
  const ask = () => connections.connection('s', modern, new AbortController().signal);
  const one = await ask();
  // The same turn: whoever opened it has not sent its request.
  expect((await ask()) === one).toBe(false);
});

test('a connection that was exclusive to a cancelled call is closed, because its server may still ask for it [gateway:R2]', async () => {
  const { call } = openConnections('stdio', 'auto');
  const first = await call(modern);
  await turn();
  first.hasAbandonedCalls = true;
  endCall(first);
  await turn();
  expect([(await call(modern)) === first, first.closed]).toEqual([false, true]);
});

test('an idle connection with abandoned calls goes to no client without a session, and stays with its session', async () => {
  const { call } = openConnections('stdio', 'auto');
  const asking = { ...session('s'), capabilities: { elicitation: {} } };
  const used = [await call(modern), await call(asking)];
  await turn();
  for (const each of used) {
    endCall(each);
    each.hasAbandonedCalls = true;
  }
  await turn();
  const again = [await call(modern), await call(asking)];
  expect(again.map((each, index) => each === used[index])).toEqual([false, true]);
  expect(used.map(({ closed }) => closed)).toEqual([true, false]);
});

test.each(['http', 'stdio'] as const)(
  'kept apart over %s, a client without a session has a connection for one call, and a session keeps its own [gateway:R2]',
  async (transport) => {
    const { own, call } = openConnections(transport, 'session');
    for (const client of [{ ...modern, capabilities: {} }, modern, session('s'), session('s')]) {
      const used = await call(client);
      await turn();
      endCall(used);
      await turn();
    }
    expect(own.map(({ closed }) => closed)).toEqual([true, true, false]);
  },
);

test.each([
  [{ ...session('k'), logLevel: 'info' }, true],
  [{ ...modern, capabilities: {}, logLevel: 'debug' }, true],
  [{ ...modern, capabilities: {} }, false],
  [session('k'), false],
] as const)('%o has a process of its own: %s [gateway:R2]', async (client, isOwn) => {
  const { call, shared } = openConnections('stdio', 'auto');
  expect((await call(client)) !== shared).toBe(isOwn);
});

test.each([
  ['stdio', SHARING_LIMITS.ownProcessesMax],
  ['http', SHARING_LIMITS.ownSessionsMax],
] as const)(
  'own connections over %s: of %i the least recently used is evicted for another client, and a client that waits is served when a call ends [gateway:R2]',
  async (transport, most) => {
    const { connections, own, call } = openConnections(transport);
    for (let client = 0; client < most; client += 1) await call(session(`client ${client}`));
    await turn();
    // All of them run a call.
    const waiting = call(session('one more'));
    await turn();
    expect([own.length, own.some(({ closed }) => closed)]).toEqual([most, false]);
    endCall(own[3] as Opened);
    await waiting;
    expect([own[3]?.closed, connections.count('s')]).toEqual([true, most]);
    for (const each of own) if (each.isCalling) endCall(each);
    await turn();
    expect((await call(session('client 0'))) === own[0]).toBe(true);
    await call(session('another'));
    expect([own[0]?.closed, own[1]?.closed]).toEqual([false, true]);
    // Where the client closed its streams, its connection goes first, and comes back with its next call.
    connections.left('client 5');
    await call(session('a third'));
    expect([own[2]?.closed, own[5]?.closed]).toEqual([false, true]);
    connections.release('client 0');
    await turn();
    expect([own[0]?.closed, connections.count('s')]).toEqual([true, most - 1]);
  },
);

/** Connections whose shared one is as the test says, with every attempt to open one recorded. */
function sharingOf(shared: Partial<Record<keyof Upstream, unknown>>, more: Partial<ClientConnectionsOptions> = {}) {
  const seen = { opened: [] as string[], notified: [] as string[], ended: [] as string[], listened: [] as object[] };
  const own: Opened[] = [];
  const base = { transport: 'stdio', era: '2025', sessionBound: false, capabilities: {}, ...shared };
  const make = () =>
    Object.assign(new EventEmitter(), {
      ...base,
      isCalling: false,
      hasAbandonedCalls: false,
      closed: false,
      listen: (filter: object) => void seen.listened.push(filter),
      async closeWhenIdle() {},
    }) as unknown as Opened;
  const sharedOne = make() as unknown as Upstream;
  const connections = new ClientConnections({
    shared: () => sharedOne,
    openOwn: async (server, { key }) => {
      seen.opened.push(`${server} ${key}`);
      own.push(make());
      return own.at(-1) as unknown as Upstream;
    },
    sharing: () => 'auto',
    onNotification: ({ server, key }, { method }) => void seen.notified.push(`${server} ${key} ${method}`),
    onEnded: ({ server, key }) => void seen.ended.push(`${server} ${key}`),
    now: () => 0,
    ...more,
  });
  const isOwn = async (client: SharingClient, server = 's') =>
    (await connections.connection(server, client, new AbortController().signal)) !== sharedOne;
  return { connections, own, seen, isOwn, shared: sharedOne };
}

test('clients get an own connection depending on the transport, the revision and the log level [gateway:R2]', async () => {
  const plain = session('k');
  const asked = { ...plain, capabilities: { roots: {} } };
  const hears = { ...plain, logLevel: 'info' };
  const needs = async (shared: Parameters<typeof sharingOf>[0]) => {
    const each = [];
    for (const client of [plain, asked, hears]) each.push(await sharingOf(shared).isOwn(client));
    const { connections, shared: upstream } = sharingOf(shared);
    return [...each, connections.isShared('s', upstream)];
  };
  const logging = { capabilities: { logging: {} } };
  expect({
    http: await needs({ transport: 'http' }),
    session: await needs({ transport: 'http', sessionBound: true }),
    modernSession: await needs({ transport: 'http', sessionBound: true, era: '2026' }),
    stdio: await needs({}),
    stdioLogs: await needs(logging),
    modernStdio: await needs({ era: '2026' }),
    modernStdioLogs: await needs({ era: '2026', ...logging }),
  }).toEqual({
    http: [false, false, false, true],
    session: [true, true, true, false],
    modernSession: [false, false, false, true],
    stdio: [false, true, false, true],
    stdioLogs: [false, true, true, true],
    modernStdio: [false, false, false, true],
    modernStdioLogs: [false, false, true, true],
  });
});

test('a server that is always or never shared is so for every client; a pending shared connection is awaited [gateway:R2]', async () => {
  const asked = { ...session('k'), capabilities: { roots: {} } };
  const always = sharingOf({}, { sharing: () => 'shared' });
  const never = sharingOf({ transport: 'http' }, { sharing: () => 'session' });
  expect([
    await always.isOwn(asked),
    always.connections.isShared('s', always.shared),
    await never.isOwn(session('k')),
    never.connections.isShared('s', never.shared),
  ]).toEqual([false, true, true, false]);
  const { connections, shared } = sharingOf({}, { shared: async () => shared });
  expect([
    await connections.connection('s', session('k'), new AbortController().signal),
    await connections.shared('s', new AbortController().signal),
  ]).toEqual([shared, shared]);
});

test('own connections are counted, listed and closed by server and client; their notifications belong to their client [gateway:R2]', async () => {
  const { connections, own, seen, isOwn } = sharingOf({ transport: 'http', sessionBound: true });
  for (const [server, key] of [
    ['s', 'a'],
    ['s', 'b'],
    ['t', 'a'],
  ] as const)
    await isOwn(session(key), server);
  await turn();
  const open = (key: string) => connections.open({ key }).map(({ server }) => server);
  expect([seen.opened, open('a'), open('b'), open('c'), connections.count('s'), connections.count('none')]).toEqual([
    ['s a', 's b', 't a'],
    ['s', 't'],
    ['s'],
    [],
    2,
    0,
  ]);
  own[1]?.emit('notification', { method: 'm' });
  own[0]?.emit('close');
  own[0]?.emit('end');
  expect([seen.notified, seen.ended, open('a'), connections.count('s')]).toEqual([['s b m'], ['s a'], ['t'], 1]);
  connections.retire('s');
  expect([connections.count('s'), open('b'), open('a')]).toEqual([0, [], ['t']]);
  await connections.close();
  expect([connections.count('t'), open('a')]).toEqual([0, []]);
});

test('a 2026 server is subscribed to only if it announces list changes', async () => {
  const listened = async (shared: Parameters<typeof sharingOf>[0]) => {
    const { seen, isOwn } = sharingOf(
      { transport: 'http', sessionBound: true, ...shared },
      { sharing: () => 'session' },
    );
    await isOwn(session('k'));
    return seen.listened;
  };
  const tells = { tools: { listChanged: true } };
  expect([
    await listened({ era: '2026', capabilities: tells }),
    await listened({ era: '2026' }),
    await listened({ capabilities: tells }),
  ]).toEqual([[{ toolsListChanged: true }], [], []]);
});

test('a connection is prepared before use; if that fails, it is not leased, and the call fails [gateway:R2]', async () => {
  let [prepared, fails] = [0, false];
  const { connections, own, isOwn } = sharingOf(
    { transport: 'http', sessionBound: true },
    {
      prepare: (_own, client) => {
        prepared += 1;
        if (client.logLevel === undefined) return undefined;
        return fails ? Promise.reject(new Error('not prepared')) : Promise.resolve();
      },
    },
  );
  await isOwn(session('k'));
  await turn();
  await isOwn({ ...session('k'), logLevel: 'info' });
  await turn();
  fails = true;
  await expect(isOwn({ ...session('k'), logLevel: 'info' })).rejects.toThrow('not prepared');
  // Nothing leases it any more: it is the first to go when its client has left.
  connections.left('k');
  expect([prepared, own.length, connections.count('s')]).toEqual([3, 1, 1]);
});

test('a lease ends with the last running call, or at once if no call was started', async () => {
  const { own, isOwn } = sharingOf({ transport: 'http', sessionBound: true });
  await isOwn(session('k'));
  await turn();
  const unused = own[0]?.listenerCount('idle');
  await isOwn(session('k'));
  (own[0] as Opened).isCalling = true;
  await turn();
  const during = own[0]?.listenerCount('idle');
  endCall(own[0] as Opened);
  expect([unused, during, own[0]?.listenerCount('idle')]).toEqual([0, 1, 0]);
});
