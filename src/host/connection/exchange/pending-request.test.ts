import { expect, test, vi } from 'vitest';
import type { RawAnswer, RawRequestOptions, UpstreamError } from '../../../wire/upstream.ts';
import { PendingRequest } from './pending-request.ts';

const ANSWER = { bytes: Buffer.from('{}'), envelope: {} } as unknown as RawAnswer;

/** A request that a deadline rejects, and what became of it. */
function open(options: RawRequestOptions = {}) {
  const seen = { deadlines: [] as string[], settled: 0 };
  const pending: PendingRequest = new PendingRequest({ id: 1, method: 'tools/call' }, options, {
    onDeadline: (error) => {
      seen.deadlines.push(error.message);
      pending.reject(error);
    },
    onSettled: () => {
      seen.settled += 1;
    },
  });
  const outcome = pending.answer.then(
    () => 'answered',
    ({ kind }: UpstreamError) => kind,
  );
  return { pending, seen, outcome };
}

test('a request settles once: the first result counts', async () => {
  const { pending, seen, outcome } = open();
  const before = pending.settled;
  pending.resolve(ANSWER);
  pending.resolve(ANSWER);
  pending.reject(new Error('late') as UpstreamError);
  expect([before, pending.settled, await outcome, await pending.answer, seen]).toEqual([
    false,
    true,
    'answered',
    ANSWER,
    { deadlines: [], settled: 1 },
  ]);
});

test('the error names the deadline that was exceeded', async () => {
  const idle = open({ timeoutMs: 20, maxTimeoutMs: 600_000 });
  const whole = open({ timeoutMs: 600_000, maxTimeoutMs: 30 });
  expect([await idle.outcome, idle.seen.deadlines, await whole.outcome, whole.seen.deadlines]).toEqual([
    'timed_out',
    ['the server did not answer tools/call for 20 ms, and reported no progress'],
    'timed_out',
    ['the server did not answer tools/call within 30 ms in all'],
  ]);
});

test('progress extends a deadline that has passed but was not checked yet', async () => {
  const { pending, seen, outcome } = open({ timeoutMs: 1_000 });
  // The event loop stands still until the deadline is over: its timer is due when progress comes.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_050);
  pending.touch();
  await new Promise((resolve) => setTimeout(resolve, 5));
  pending.resolve(ANSWER);
  expect([await outcome, seen.deadlines]).toEqual(['answered', []]);
});

test('deadlines pause while a person is asked, by one or several questions, and then continue', async () => {
  const { pending, seen, outcome } = open({ timeoutMs: 30 });
  const answers: (() => void)[] = [];
  const asked = [1, 2].map(() => pending.whileWaiting(() => new Promise<void>((resolve) => answers.push(resolve))));
  const pause = () => new Promise((resolve) => setTimeout(resolve, 90));
  await pause();
  const both = [...seen.deadlines];
  answers[0]?.();
  await asked[0];
  await pause();
  const one = [...seen.deadlines];
  answers[1]?.();
  await asked[1];
  expect([both, one, await outcome, seen.deadlines.length]).toEqual([[], [], 'timed_out', 1]);
});

test('the stream of an answered request is closed after a while, unless it ended by itself', async () => {
  const [left, ended] = [open(), open()];
  for (const { pending } of [left, ended]) {
    pending.resolve(ANSWER);
    pending.leaveStreamAfter(1);
  }
  ended.pending.finish();
  const gone = new Promise<void>((resolve) => left.pending.exchange.addEventListener('abort', () => resolve()));
  const keepsLoopAlive = setInterval(() => {}, 1_000);
  await gone;
  clearInterval(keepsLoopAlive);
  expect([left.pending.exchange.aborted, ended.pending.exchange.aborted]).toEqual([true, false]);
});

test('a settled request has no timer, whatever extended it before', async () => {
  vi.useFakeTimers();
  try {
    const { pending, seen } = open({ timeoutMs: 50, maxTimeoutMs: 100 });
    await vi.advanceTimersByTimeAsync(40);
    pending.touch();
    await vi.advanceTimersByTimeAsync(40);
    const before = vi.getTimerCount();
    pending.resolve(ANSWER);
    await pending.whileWaiting(async () => {});
    expect([before, vi.getTimerCount(), seen.deadlines]).toEqual([1, 0, []]);
    // One without a deadline needs no timer.
    open();
    expect(vi.getTimerCount()).toBe(0);
    // Progress prolongs no request beyond its whole time, nor one without a time.
    const [long, free] = [open({ timeoutMs: 50, maxTimeoutMs: 100 }), open({ maxTimeoutMs: 10_000 })];
    for (let step = 0; step < 4; step += 1) {
      await vi.advanceTimersByTimeAsync(25);
      long.pending.touch();
      free.pending.touch();
    }
    expect([await long.outcome, long.seen.deadlines, free.seen.deadlines]).toEqual([
      'timed_out',
      ['the server did not answer tools/call within 100 ms in all'],
      [],
    ]);
  } finally {
    vi.useRealTimers();
  }
});
