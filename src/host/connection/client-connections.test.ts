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
