import { EventEmitter } from 'node:events';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { type Upstream, UpstreamError } from '../../../wire/upstream.ts';
import { openSubscription } from './subscription.ts';

/** A connection that answers no request, or refuses them all. */
function connection(isRefusing: boolean): EventEmitter {
  const request = (_message: unknown, { signal }: { signal: AbortSignal }) =>
    new Promise((_resolve, reject) => {
      if (isRefusing) reject(new UpstreamError('rpc', 'Method not found'));
      signal.addEventListener('abort', () => reject(new UpstreamError('cancelled', 'cancelled')));
    });
  return Object.assign(new EventEmitter(), { closed: false, request });
}

test('a subscription that was closed or refused leaves no listener at its connection', async () => {
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
