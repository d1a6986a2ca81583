import { EventEmitter } from 'node:events';
import { expect, test } from 'vitest';
import { ClientConnections, SHARING_LIMITS } from './client-connections.ts';
import type { Upstream } from './upstream.ts';

test('a connection on which a call runs is not idle, however long ago the call began [gateway:R2]', async () => {
  let now = 0;
  const opened: { busy: boolean; isClosing: boolean }[] = [];
  const open = () => {
    const upstream = Object.assign(new EventEmitter(), {
      transport: 'http',
      era: '2025',
      sessionBound: true,
      busy: false,
      closed: false,
      isClosing: false,
      async closeWhenIdle() {
        upstream.isClosing = true;
      },
    });
    opened.push(upstream);
    return upstream as unknown as Upstream;
  };
  const connections = new ClientConnections({
    shared: () => open(),
    openOwn: async () => open(),
    sharing: () => 'session',
    onNotification() {},
    now: () => now,
  });
  const client = { key: 'k', era: '2025' as const, capabilities: {}, info: undefined };
  const call = async () => connections.connection('s', client, new AbortController().signal);
  const [first] = [await call(), opened.shift()];
  const own = opened[0] as (typeof opened)[number];
  own.busy = true;
  now = SHARING_LIMITS.ownIdleMs * 2;
  connections.closeIdle();
  own.busy = false;
  expect([(await call()) === first, own.isClosing]).toEqual([true, false]);
  now += SHARING_LIMITS.ownIdleMs + 1;
  connections.closeIdle();
  await Promise.resolve();
  expect([connections.count('s'), own.isClosing]).toEqual([0, true]);
});

/** Connections that a test opens and closes by hand. */
function openConnections(transport: 'http' | 'stdio') {
  const all: (EventEmitter & { busy: boolean; closed: boolean })[] = [];
  const open = () => {
    const upstream = Object.assign(new EventEmitter(), {
      transport,
      era: '2025',
      sessionBound: true,
      busy: false,
      closed: false,
      async closeWhenIdle() {},
    });
    all.push(upstream);
    return upstream as unknown as Upstream;
  };
  const shared = open();
  const connections = new ClientConnections({
    shared: () => shared,
    openOwn: async () => open(),
    sharing: () => 'session',
    onNotification() {},
    now: () => 0,
  });
  return { connections, own: all };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

test('calls of one turn that look alike get a session each; the next turn takes what is idle', async () => {
  const { connections } = openConnections('http');
  const client = { key: 'k', era: '2026' as const, capabilities: { elicitation: {} }, info: undefined };
  const call = async () => connections.connection('s', client, new AbortController().signal);
  // Nothing is open yet.
  const first = await Promise.all([call(), call()]);
  await turn();
  // Both are open and idle, and no request is under way that would show.
  const [two, three, four] = await Promise.all([call(), call(), call()]);
  await turn();
  const next = await call();
  expect({
    first: new Set(first).size,
    second: new Set([two, three, four]).size,
    taken: first.every((one) => [two, three].includes(one)),
    again: [two, three, four].includes(next),
    count: connections.count('s'),
  }).toEqual({ first: 2, second: 3, taken: true, again: true, count: 3 });
});

test('a session that was opened for a call is not given to another before the call is under way', async () => {
  const { connections } = openConnections('http');
  const client = { key: 'k', era: '2026' as const, capabilities: { elicitation: {} }, info: undefined };
  const call = async () => connections.connection('s', client, new AbortController().signal);
  const one = await call();
  // The same turn: whoever opened it has not sent its request.
  expect((await call()) === one).toBe(false);
});

test.each([
  ['stdio', SHARING_LIMITS.ownProcessesMax],
  ['http', SHARING_LIMITS.ownSessionsMax],
] as const)(
  'own connections over %s: %i are opened and no more, per server, until one ends',
  async (transport, most) => {
    const { connections, own } = openConnections(transport);
    const call = async (server: string, key: string) =>
      connections.connection(server, { key, capabilities: {}, info: undefined }, new AbortController().signal);
    for (let client = 0; client < most; client += 1) await call('s', `client ${client}`);
    await expect(call('s', 'one more')).rejects.toMatchObject({ kind: 'busy' });
    expect([connections.count('s'), await call('s', 'client 0').then((known) => known === (own[1] as never))]).toEqual([
      most,
      true,
    ]);
    await call('another', 'one more');
    Object.assign(own[1] as object, { closed: true });
    own[1]?.emit('close');
    await call('s', 'one more');
    await expect(call('s', 'client 0')).rejects.toMatchObject({ kind: 'busy' });
    expect(connections.count('s')).toBe(most);
  },
);
