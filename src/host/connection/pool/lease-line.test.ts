import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Cancellation } from '../../../contract/cancellation.ts';
import type { UpstreamError } from '../../../wire/upstream.ts';
import { LeasePool } from './lease-pool.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** A pool with one connection, which somebody has. */
async function full() {
  const pool = new LeasePool<object>({ max: 1, waitMs: 1_000, waitersMax: 9, close: async () => {}, now: () => 0 });
  const seen = { listening: 0 };
  const signalOf = () => {
    const signal = new Cancellation();
    const { addEventListener, removeEventListener } = signal;
    signal.addEventListener = (type, listener) => {
      seen.listening += 1;
      addEventListener.call(signal, type, listener);
    };
    signal.removeEventListener = (type, listener) => {
      seen.listening -= 1;
      removeEventListener.call(signal, type, listener);
    };
    return signal;
  };
  const acquire = async (key: string, signal = signalOf()) =>
    pool.acquire({ key, exclusive: false, open: async () => ({ key }) }, signal);
  const holder = await acquire('holder');
  const outcome = (key: string, signal?: Cancellation) =>
    acquire(key, signal).then(
      () => 'served',
      ({ kind }: UpstreamError) => kind,
    );
  return { pool, seen, acquire, outcome, signalOf, holder };
}

test('a client that is served, refused or too late leaves neither a timer nor a listener', async () => {
  const { pool, seen, outcome, holder, signalOf } = await full();
  const signal = signalOf();
  const [served, ended, gone, late] = [outcome('a'), outcome('b'), outcome('c', signal), outcome('d')];
  await vi.advanceTimersByTimeAsync(0);
  expect([pool.waiting, seen.listening, vi.getTimerCount()]).toEqual([4, 4, 4]);
  pool.end('b');
  signal.abort();
  holder.release();
  await vi.advanceTimersByTimeAsync(999);
  const before = [pool.waiting, seen.listening, vi.getTimerCount()];
  await vi.advanceTimersByTimeAsync(1);
  expect([await served, await ended, await gone, await late]).toEqual(['served', 'closed', 'cancelled', 'busy']);
  expect([before, pool.waiting, seen.listening, vi.getTimerCount()]).toEqual([[1, 1, 1], 0, 0, 0]);
});

test('a client that is not served waits exactly its whole time', async () => {
  const { pool, outcome } = await full();
  const late = outcome('a');
  await vi.advanceTimersByTimeAsync(999);
  const before = pool.waiting;
  await vi.advanceTimersByTimeAsync(1);
  expect([before, pool.waiting, await late]).toEqual([1, 0, 'busy']);
});

test('a client that ends and aborts at the same moment leaves the queue once, and removes no other', async () => {
  const { pool, outcome, signalOf } = await full();
  const signal = signalOf();
  signal.addEventListener('abort', () => pool.end('a'));
  const ended = outcome('a', signal);
  void outcome('b');
  await vi.advanceTimersByTimeAsync(0);
  signal.abort();
  expect([await ended, pool.waiting]).toEqual(['closed', 1]);
});

test('an existing connection is leased synchronously', async () => {
  const { pool } = await full();
  const lease = pool.leaseKnown({ key: 'holder', exclusive: false });
  expect([lease instanceof Promise, lease !== undefined]).toEqual([false, true]);
});

test('a client that left and came back is no longer evicted first', async () => {
  const closed: string[] = [];
  const close = async ({ key }: { key: string }) => void closed.push(key);
  const pool = new LeasePool<{ key: string }>({ max: 2, waitMs: 1_000, waitersMax: 9, close, now: () => 0 });
  const use = async (key: string) =>
    (await pool.acquire({ key, exclusive: false, open: async () => ({ key }) }, new Cancellation())).release();
  for (const key of ['a', 'b']) await use(key);
  pool.left('b');
  await use('b');
  await use('c');
  expect(closed).toEqual(['a']);
});

test('a connection that is lost twice frees one place', async () => {
  const pool = new LeasePool<{ key: string }>({
    max: 1,
    waitMs: 1_000,
    waitersMax: 9,
    close: async () => {},
    now: () => 0,
  });
  const acquire = (key: string) =>
    pool.acquire({ key, exclusive: false, open: async () => ({ key }) }, new Cancellation());
  const { connection } = await acquire('a');
  pool.lost(connection);
  pool.lost(connection);
  await acquire('b');
  void Promise.resolve(acquire('c')).catch(() => {});
  expect([pool.size, pool.waiting]).toEqual([1, 1]);
});
