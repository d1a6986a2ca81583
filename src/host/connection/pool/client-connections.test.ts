import { EventEmitter } from 'node:events';
import { expect, test } from 'vitest';
import type { Upstream } from '../../../wire/upstream.ts';
import { ClientConnections, SHARING_LIMITS, type SharingClient } from './client-connections.ts';

type Opened = EventEmitter & { isCalling: boolean; isForsaken: boolean; closed: boolean };

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
      isForsaken: false,
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

test('what was alone with a call that asked and was given up is closed: its server may still ask for it [gateway:R2]', async () => {
  const { call } = openConnections('stdio', 'auto');
  const first = await call(modern);
  await turn();
  first.isForsaken = true;
  endCall(first);
  await turn();
  expect([(await call(modern)) === first, first.closed]).toEqual([false, true]);
});

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
