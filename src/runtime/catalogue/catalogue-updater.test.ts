import { EventEmitter } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createMemoryLog } from '../../contract/testing/memory-log.ts';
import { ChangeFeed } from '../../proxy/lists/change-feed.ts';
import { CatalogueUpdater } from './catalogue-updater.ts';

/** A gateway that meets servers for the first time; who was learnt is in `known`. */
function meeting(ids: readonly string[]) {
  const known = new Set<string>();
  const upstream = { era: '2026', transport: 'http' };
  const host = Object.assign(new EventEmitter(), {
    connection: async () => upstream,
    statusOf: (id: string) => ({ state: ids.includes(id) ? 'ready' : 'error' }),
    catalogueOf: () => ({ tools: [] }),
    liveOf: (id: string) => (ids.includes(id) ? upstream : undefined),
  });
  const parts = {
    host,
    feed: new ChangeFeed(createMemoryLog()),
    together: (work: () => unknown) => work(),
    catalogue: {
      learn: (id: string) => {
        known.add(id);
        return [];
      },
      offer: (id: string) => (known.has(id) ? {} : undefined),
    },
    servers: { undiscovered: () => ids.filter((id) => !known.has(id)), offers: () => [] },
    sharing: () => 'auto',
    record: async () => {},
    log: createMemoryLog(),
  };
  const updater = new CatalogueUpdater(parts as never);
  updater.begin();
  const told: string[][] = [];
  parts.feed.on('changed', () => told.push([...known]));
  const learn = async (id: string) => {
    host.emit('catalogue', id);
    while (!known.has(id)) await setImmediate();
    await setImmediate();
  };
  return { learn, told, known, updater };
}

test('[gateway:F4] [gateway:L1] when the last new server is known, waiting clients are notified at once', async () => {
  const { learn, told } = meeting(['a', 'b', 'c']);
  for (const id of ['a', 'b', 'c']) await learn(id);
  expect([told[0], told.at(-1)]).toEqual([['a'], ['a', 'b', 'c']]);
});

test('a server that stayed connected while it was forgotten is learned again', async () => {
  const { learn, known, updater } = meeting(['a', 'b']);
  for (const id of ['a', 'b']) await learn(id);
  known.delete('a');
  updater.retryFailed();
  while (!known.has('a')) await setImmediate();
  expect([...known].sort()).toEqual(['a', 'b']);
});
