import { EventEmitter } from 'node:events';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { type Upstream, UpstreamError } from '../../../wire/upstream.ts';
import { CONNECTION_LIMITS as LIMITS } from '../limits.ts';
import { openSubscription } from './subscription.ts';

vi.mock('node:timers/promises', () => import('../testing/fakeable-timers.ts'));

/** A connection that answers no request, or refuses them all. */
function connection(isRefusing: boolean): EventEmitter {
  const request = (_message: unknown, { signal }: { signal: AbortSignal }) =>
    new Promise((_resolve, reject) => {
      if (isRefusing) reject(new UpstreamError('rpc', 'Method not found'));
      signal.addEventListener('abort', () => reject(new UpstreamError('cancelled', 'cancelled')));
    });
  return Object.assign(new EventEmitter(), { closed: false, request });
}

test('a closed or refused subscription leaves no listener on its connection', async () => {
  const [quiet, refusing] = [connection(false), connection(true)];
  const listeners = () => [quiet, refusing].map((upstream) => upstream.listenerCount('close'));
  const open = (upstream: EventEmitter) =>
    openSubscription(upstream as unknown as Upstream, { toolsListChanged: true });
  const subscription = open(quiet);
  open(refusing);
  const opened = listeners();
  subscription.close();
  await nextTurn();
  expect([opened, listeners()]).toEqual([
    [1, 1],
    [0, 0],
  ]);
});

test('a stream that ends is reopened after a growing pause, which is reset by a stable stream', async () => {
  vi.useFakeTimers();
  try {
    const asked: { at: number; message: unknown; options: object }[] = [];
    let heldMs = 0;
    const upstream = Object.assign(new EventEmitter(), {
      closed: false,
      request: async (message: unknown, options: object) => {
        asked.push({ at: performance.now(), message, options });
        if (heldMs > 0) await new Promise((resolve) => setTimeout(resolve, heldMs));
        if (asked.length % 2 === 0) throw new UpstreamError('lost', 'it broke');
      },
    });
    const pauses = () => asked.slice(1).map(({ at }, index) => at - (asked[index]?.at ?? 0) - heldMs);
    const { close } = openSubscription(upstream as unknown as Upstream, { toolsListChanged: true });
    await vi.advanceTimersByTimeAsync(LIMITS.streamRetryMaxMs * 3);
    expect(pauses().slice(0, 7)).toEqual(
      [1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000].slice(0, pauses().length),
    );
    expect(asked[0]).toMatchObject({
      message: { method: 'subscriptions/listen', params: { notifications: { toolsListChanged: true } } },
      options: { timeoutMs: Number.POSITIVE_INFINITY, maxTimeoutMs: Number.POSITIVE_INFINITY },
    });
    heldMs = LIMITS.streamRetryMaxMs;
    asked.length = 0;
    await vi.advanceTimersByTimeAsync(LIMITS.streamRetryMaxMs * 6);
    const exact = pauses();
    heldMs += 1;
    asked.length = 0;
    await vi.advanceTimersByTimeAsync(LIMITS.streamRetryMaxMs * 6);
    expect([exact.at(-1), pauses().at(-1)]).toEqual([30_000, 500]);
    close();
    const before = asked.length;
    await vi.advanceTimersByTimeAsync(LIMITS.streamRetryMaxMs * 6);
    expect([asked.length, upstream.listenerCount('close')]).toEqual([before, 0]);
  } finally {
    vi.useRealTimers();
  }
});

test('a closed connection, or one that lost its sign-in, is not asked again', async () => {
  vi.useFakeTimers();
  try {
    let asked = 0;
    const open = (kind: 'auth' | 'lost', closes: boolean) => {
      asked = 0;
      const upstream = Object.assign(new EventEmitter(), {
        closed: false,
        request: async () => {
          asked += 1;
          upstream.closed = closes;
          throw new UpstreamError(kind, 'no');
        },
      });
      openSubscription(upstream as unknown as Upstream, {});
      return upstream;
    };
    open('auth', false);
    await vi.advanceTimersByTimeAsync(100_000);
    const refused = asked;
    open('lost', true);
    await vi.advanceTimersByTimeAsync(100_000);
    const closed = asked;
    const lost = open('lost', false);
    await vi.advanceTimersByTimeAsync(0);
    lost.emit('close');
    await vi.advanceTimersByTimeAsync(100_000);
    expect([refused, closed, asked]).toEqual([1, 1, 1]);
  } finally {
    vi.useRealTimers();
  }
});
