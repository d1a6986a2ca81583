import { EventEmitter } from 'node:events';
import { expect, test } from 'vitest';
import type { Host } from '../../host/host.ts';
import { ChangeFeed } from '../../proxy/change-feed.ts';
import { firstDiscoveries } from './first-discoveries.ts';

/** Servers and what is known of them, as the test says. */
function servers(states: Record<string, string>) {
  const host = Object.assign(new EventEmitter(), { statusOf: (id: string) => ({ state: states[id] }) });
  return { host: host as unknown as Host & EventEmitter, feed: new ChangeFeed(), unseen: Object.keys(states), states };
}

test('[gateway:F4] a search waits for first discoveries under way, and goes on when the last has ended', async () => {
  const { host, feed, unseen, states } = servers({ one: 'connecting', other: 'connecting', dead: 'error' });
  let hasEnded = false;
  const waiting = firstDiscoveries(host, feed, () => unseen).then(() => {
    hasEnded = true;
  });
  unseen.splice(unseen.indexOf('one'), 1);
  feed.emit('changed');
  await new Promise(setImmediate);
  const early = hasEnded;
  states.other = 'error';
  host.emit('status', {});
  await waiting;
  expect([early, hasEnded, host.listenerCount('status'), feed.listenerCount('changed')]).toEqual([false, true, 0, 0]);
});

test('[gateway:F4] servers that are not being connected are not waited for', async () => {
  const { host, feed, unseen } = servers({ dead: 'error', asks: 'auth_required' });
  await firstDiscoveries(host, feed, () => unseen);
  expect(host.listenerCount('status')).toBe(0);
});

test('[gateway:F4] a server that does not answer is waited for a second at most', async () => {
  const { host, feed, unseen } = servers({ slow: 'connecting' });
  await firstDiscoveries(host, feed, () => unseen);
  expect([unseen, host.listenerCount('status'), feed.listenerCount('changed')]).toEqual([['slow'], 0, 0]);
});
