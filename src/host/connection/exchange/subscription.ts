import { setTimeout as sleep } from 'node:timers/promises';
import { type Subscription, type SubscriptionFilter, type Upstream, UpstreamError } from '../../../wire/upstream.ts';
import { CONNECTION_LIMITS as LIMITS } from '../limits.ts';

/**
 * Keeps a 2026 `subscriptions/listen` stream open and emits its notifications as events of the connection. Reopens a stream that ends,
 * after a pause; gives up if the server refuses the method.
 */
export function openSubscription(upstream: Upstream, filter: SubscriptionFilter): Subscription {
  const closing = new AbortController();
  const close = () => closing.abort();
  upstream.on('close', close);
  keepListening(upstream, filter, closing.signal)
    .catch(() => {
      // Only an intended end throws out of the loop.
    })
    .finally(() => upstream.off('close', close));
  return { close };
}

async function keepListening(upstream: Upstream, filter: SubscriptionFilter, signal: AbortSignal): Promise<void> {
  for (let failures = 0; !signal.aborted && !upstream.closed; ) {
    const began = performance.now();
    try {
      await upstream.request(
        { method: 'subscriptions/listen', params: { notifications: filter } },
        { signal, timeoutMs: Number.POSITIVE_INFINITY, maxTimeoutMs: Number.POSITIVE_INFINITY },
      );
    } catch (thrown) {
      if (thrown instanceof UpstreamError && (thrown.kind === 'rpc' || thrown.kind === 'auth')) return;
    }
    failures = performance.now() - began > LIMITS.streamRetryMaxMs ? 0 : failures + 1;
    const pauseMs = Math.min(LIMITS.streamRetryMs * 2 ** (failures - 1), LIMITS.streamRetryMaxMs);
    await sleep(pauseMs, undefined, { signal, ref: false });
  }
}
