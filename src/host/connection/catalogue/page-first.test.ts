import { EventEmitter } from 'node:events';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { UpstreamError } from '../../../wire/upstream.ts';
import { CONNECTION_LIMITS as LIMITS } from '../limits.ts';
import { afterPages } from './page-first.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const page = (elicitationId: string, mode = 'url') => ({ mode, elicitationId, url: 'https://a.example/' });
const needs = (elicitations: unknown, code = -32042) =>
  new UpstreamError('rpc', 'a page first', { rpc: { code, message: 'a page first', data: { elicitations } } });

/** A call that fails so often before it works. */
function call(failing: readonly unknown[], action: unknown = 'accept') {
  const upstream = new EventEmitter();
  const stop = new AbortController();
  const seen = { calls: 0, asked: [] as unknown[], outcome: 'waits' as unknown };
  afterPages(
    async () => {
      seen.calls += 1;
      const thrown = failing[seen.calls - 1];
      if (thrown !== undefined) throw thrown;
      return { done: true };
    },
    {
      upstream: upstream as never,
      signal: stop.signal,
      ask: async ({ method, params }) => {
        seen.asked.push(`${method} ${params.elicitationId}`);
        return { action };
      },
    },
  ).then(
    (result) => {
      seen.outcome = result;
    },
    (thrown: unknown) => {
      seen.outcome = thrown;
    },
  );
  const done = (elicitationId: string, method = 'notifications/elicitation/complete') =>
    upstream.emit('notification', { method, params: { elicitationId } });
  return { seen, done, stop, upstream };
}
const turn = () => vi.advanceTimersByTimeAsync(0);

test('pages are shown one after the other, and the call is repeated when the server reports each as complete', async () => {
  const { seen, done, upstream } = call([needs([page('a'), page('b')])]);
  await turn();
  done('b');
  done('a', 'notifications/message');
  done('other');
  await turn();
  expect(seen).toEqual({ calls: 1, asked: ['elicitation/create a'], outcome: 'waits' });
  done('a');
  await turn();
  // The second one was done before it was shown.
  expect(seen).toEqual({ calls: 2, asked: ['elicitation/create a', 'elicitation/create b'], outcome: { done: true } });
  expect(upstream.listenerCount('notification')).toBe(0);
});

test('if the server never reports completion, the call is repeated after the maximum wait', async () => {
  const { seen } = call([needs([page('a')])]);
  await vi.advanceTimersByTimeAsync(LIMITS.pageWaitMs - 1);
  const before = seen.calls;
  await vi.advanceTimersByTimeAsync(1);
  expect([before, seen.calls, seen.outcome]).toEqual([1, 2, { done: true }]);
});

test('if a person declines, or the call needs something else, the server’s error is returned', async () => {
  const [declined, other, noPages, form, plain] = [
    call([needs([page('a')])], 'decline'),
    call([needs([page('a')], -32000)]),
    call([needs('none')]),
    call([needs([page('a', 'form'), 7])]),
    call([new Error('lost')]),
  ];
  await turn();
  expect(
    [declined, other, noPages, form, plain].map(({ seen }) => [
      seen.calls,
      seen.asked.length,
      (seen.outcome as Error).message,
    ]),
  ).toEqual([
    [1, 1, 'a page first'],
    [1, 0, 'a page first'],
    [1, 0, 'a page first'],
    [1, 0, 'a page first'],
    [1, 0, 'lost'],
  ]);
  const again = call([needs([page('a')]), needs([page('a')])]);
  await turn();
  again.done('a');
  await turn();
  expect([again.seen.calls, (again.seen.outcome as Error).message]).toEqual([2, 'a page first']);
});

test('an aborted caller does not wait for the person, before and during the visit', async () => {
  const [during, before] = [call([needs([page('a')])]), call([needs([page('a')])])];
  before.stop.abort(new Error('gone'));
  await turn();
  during.stop.abort(new Error('gone'));
  await turn();
  for (const { seen, upstream } of [during, before])
    expect([(seen.outcome as Error).message, seen.calls, upstream.listenerCount('notification')]).toEqual([
      'gone',
      1,
      0,
    ]);
  expect(vi.getTimerCount()).toBe(0);
});

test('the number of pages is limited', async () => {
  const { seen, done } = call([needs(Array.from({ length: LIMITS.inputRoundsMax + 1 }, (_, at) => page(`p${at}`)))]);
  for (let at = 0; at <= LIMITS.inputRoundsMax; at += 1) {
    await turn();
    done(`p${at}`);
  }
  await turn();
  expect([seen.asked.length, seen.outcome]).toEqual([LIMITS.inputRoundsMax, { done: true }]);
});
