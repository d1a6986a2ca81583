import { expect, test } from 'vitest';
import type { UpstreamError } from '../../../wire/upstream.ts';
import { LeasePool } from './lease-pool.ts';

function named(max: number, now: () => number = () => 0) {
  const closed: string[] = [];
  const pool = new LeasePool<{ name: string }>({
    max,
    waitMs: 60_000,
    waitersMax: 9,
    close: async ({ name }, graceMs) => void closed.push(`${name} ${graceMs}`),
    now,
  });
  const { signal } = new AbortController();
  const acquire = async (owner: string, exclusive = false) =>
    pool.acquire({ key: owner, exclusive, open: async () => ({ name: owner }) }, signal);
  const settled = () => new Promise((resolve) => setImmediate(resolve));
  return { pool, closed, acquire, settled };
}

test('a connection that is idle long enough is closed, to the millisecond, sooner if its client left, and never while leased [gateway:R2]', async () => {
  let time = 0;
  const { pool, closed, acquire, settled } = named(9, () => time);
  const [quiet, left, leased] = [await acquire('quiet'), await acquire('left'), await acquire('leased')];
  time = 10;
  quiet.release();
  left.release();
  pool.left('left');
  pool.left('leased');
  time = 10 + 49;
  pool.closeIdle(100, 50);
  await settled();
  const early = [...closed];
  time = 10 + 50;
  pool.closeIdle(100, 50);
  await settled();
  const gone = [...closed];
  time = 10 + 99;
  pool.closeIdle(100, 50);
  await settled();
  const before = closed.length;
  time = 10 + 100;
  pool.closeIdle(100, 50);
  await settled();
  expect([early, gone, before, closed, pool.size]).toEqual([[], ['left 0'], 1, ['left 0', 'quiet 0'], 1]);
  leased.release();
  expect(pool.of('leased')).toEqual([{ name: 'leased' }]);
});

test('a pool that shuts down gives running calls a grace period and refuses waiting ones [gateway:R2]', async () => {
  const { pool, closed, acquire } = named(1);
  await acquire('a');
  const waiting = acquire('b').catch((error: UpstreamError) => [error.kind, error.message]);
  expect(pool.waiting).toBe(1);
  await pool.shut(77);
  expect([await waiting, closed, pool.size, pool.waiting]).toEqual([
    ['closed', 'the server was removed or changed'],
    ['a 77'],
    0,
    0,
  ]);
});

test('a client that ends is refused in the queue, and its connection is closed even while it is opening [gateway:R2]', async () => {
  const { pool, closed, acquire, settled } = named(1);
  const first = acquire('a').catch((error: UpstreamError) => [error.kind, error.message]);
  const waiting = acquire('b').catch((error: UpstreamError) => [error.kind, error.message]);
  const other = acquire('c');
  pool.end('b');
  pool.end('a');
  expect(pool.of('a')).toEqual([]);
  expect([await first, await waiting]).toEqual([
    ['closed', 'the connection was closed'],
    ['closed', 'the client has ended its session'],
  ]);
  expect([(await other).connection.name, closed, pool.size]).toEqual(['c', ['a 0'], 1]);
  await settled();
  expect(pool.waiting).toBe(0);
});

test('a lease is released once, a spent connection is closed, and a lost one is not leased again [gateway:R2]', async () => {
  const { pool, closed, acquire, settled } = named(9);
  const [one, two] = [await acquire('a'), await acquire('a')];
  expect([one.connection === two.connection, pool.size]).toEqual([true, 1]);
  one.release();
  one.release(true);
  await settled();
  expect([closed, (await acquire('a')).connection === two.connection]).toEqual([[], true]);
  two.release(true);
  await settled();
  expect([closed, pool.size, pool.leaseKnown({ key: 'a', exclusive: false })]).toEqual([['a 0'], 0, undefined]);
  const next = await acquire('a');
  pool.lost(next.connection);
  pool.lost(next.connection);
  expect([pool.size, pool.of('a')]).toEqual([0, []]);
});

test('an aborted caller does not join the queue; one that aborts later leaves it, and no timer remains [gateway:R2]', async () => {
  const { pool, acquire } = named(1);
  await acquire('a');
  const lessee = { key: 'b', exclusive: false, open: async () => ({ name: 'b' }) };
  const stop = new AbortController();
  const late = Promise.resolve(pool.acquire(lessee, stop.signal)).catch(({ kind }: UpstreamError) => kind);
  stop.abort();
  const never = Promise.resolve(pool.acquire(lessee, stop.signal)).catch(({ kind }: UpstreamError) => kind);
  expect([await late, await never, pool.waiting]).toEqual(['cancelled', 'cancelled', 0]);
});

test('all clients that can be served are, and the least recently used connection is evicted first [gateway:R2]', async () => {
  const { acquire, settled, closed } = named(1);
  const first = await acquire('a');
  const served: string[] = [];
  for (const n of [1, 2, 3]) void acquire('b').then(() => served.push(`b${n}`));
  first.release();
  await settled();
  expect([served, closed]).toEqual([['b1', 'b2', 'b3'], ['a 0']]);
  const many = named(3);
  for (const owner of ['x', 'y', 'z', 'x']) (await many.acquire(owner)).release();
  await many.acquire('new');
  expect(many.closed).toEqual(['y 0']);
  await many.acquire('newer');
  expect(many.closed).toEqual(['y 0', 'z 0']);
});
