import { EventEmitter } from 'node:events';
import { expect, test } from 'vitest';
import { Cancellation } from '../../contract/cancellation.ts';
import { createMemoryLog } from '../../contract/testing/memory-log.ts';
import { ChangeFeed } from '../../proxy/lists/change-feed.ts';
import { firstDiscoveries } from './first-discoveries.ts';

/** Servers and what is known of them, as the test says. */
function servers(states: Record<string, string>) {
  const known = new Set<string>();
  const asked: string[] = [];
  const statusOf = (id: string) => {
    asked.push(id);
    return { state: states[id] ?? '' };
  };
  const host = Object.assign(new EventEmitter(), { statusOf });
  const feed = new ChangeFeed(createMemoryLog());
  const changing = {
    host,
    feed,
    servers: { undiscovered: () => Object.keys(states).filter((id) => !known.has(id)) },
    catalogue: { offer: (id: string) => (known.has(id) ? {} : undefined) },
  };
  const listeners = () => [host.listenerCount('status'), feed.listenerCount('changed')];
  return { changing, host, feed, states, known, asked, listeners };
}

test('[gateway:F4] a search waits for running first discoveries, and continues when the last has ended', async () => {
  const { changing, host, feed, states, known, listeners } = servers({
    one: 'connecting',
    other: 'connecting',
    dead: 'error',
  });
  let hasEnded = false;
  const waiting = firstDiscoveries(changing).then(() => {
    hasEnded = true;
  });
  const early: boolean[] = [];
  const step = async (change: () => void) => {
    change();
    await new Promise(setImmediate);
    early.push(hasEnded);
  };
  await step(() => {
    states.other = 'ready';
    host.emit('status', {});
  });
  await step(() => {
    known.add('other');
    feed.emit('changed');
  });
  states.one = 'error';
  host.emit('status', {});
  await waiting;
  expect([early, hasEnded, listeners()]).toEqual([[false, false], true, [0, 0]]);
});

test('[gateway:F4] servers that are not being connected are not waited for', async () => {
  const { changing, listeners } = servers({ dead: 'error', asks: 'auth_required' });
  await firstDiscoveries(changing);
  expect(listeners()).toEqual([0, 0]);
});

test('[gateway:F4] a server that does not answer is waited for a second at most', async () => {
  const { changing, known, listeners } = servers({ slow: 'connecting' });
  await firstDiscoveries(changing);
  expect([[...known], listeners()]).toEqual([[], [0, 0]]);
});

test('a call waits for the server that it names, and for no other', async () => {
  const { changing, host, states, listeners } = servers({ one: 'connecting', other: 'connecting' });
  const named = firstDiscoveries(changing, undefined, ['one']);
  states.one = 'error';
  host.emit('status', {});
  await named;
  await firstDiscoveries(changing, undefined, ['one']);
  expect(listeners()).toEqual([0, 0]);
});

test('a cancelled wait leaves nothing behind', async () => {
  const { changing, listeners } = servers({ one: 'connecting' });
  const cancelling = new Cancellation();
  const waiting = firstDiscoveries(changing, cancelling, ['one']);
  expect(listeners()).toEqual([1, 1]);
  cancelling.abort();
  await waiting;
  expect(listeners()).toEqual([0, 0]);
});

test('a wait for a thousand servers does not check all of them at each change', async () => {
  const ids = Array.from({ length: 1_000 }, (_, index) => `server${index}`);
  const { changing, host, known, asked } = servers(Object.fromEntries(ids.map((id) => [id, 'connecting'])));
  const waiting = firstDiscoveries(changing);
  for (const id of ids) {
    known.add(id);
    host.emit('status', {});
  }
  await waiting;
  expect(asked.length).toBeLessThan(5 * ids.length);
});
