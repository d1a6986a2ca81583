import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { CONNECTION_LIMITS as LIMITS } from '../limits.ts';
import { whenIdle } from './when-idle.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

function open(idleMs: number) {
  const exchanges = { lastUsedAt: performance.now(), busy: false };
  let idle = 0;
  const cancel = whenIdle({ exchanges } as never, idleMs, () => {
    idle += 1;
  });
  return { exchanges, cancel, idle: () => idle };
}
const pass = (ms: number) => vi.advanceTimersByTime(ms);

test('a connection counts as idle once, a time after its last use, and not while a request runs', () => {
  const used = open(1_000);
  pass(999);
  used.exchanges.lastUsedAt = performance.now();
  pass(1);
  const before = used.idle();
  pass(998);
  const stillBefore = used.idle();
  pass(1);
  const after = used.idle();
  pass(10_000);
  expect([before, stillBefore, after, used.idle()]).toEqual([0, 0, 1, 1]);
  const busy = open(1_000);
  busy.exchanges.busy = true;
  pass(5_000);
  const during = busy.idle();
  busy.exchanges.busy = false;
  pass(LIMITS.idleCheckMinMs);
  expect([during, busy.idle()]).toEqual([0, 1]);
});

test('the check interval has a minimum, and cancelling stops the checks', () => {
  const short = open(1);
  pass(LIMITS.idleCheckMinMs - 1);
  const before = short.idle();
  pass(1);
  const cancelled = open(1_000);
  cancelled.cancel();
  pass(5_000);
  expect([before, short.idle(), cancelled.idle()]).toEqual([0, 1, 0]);
});
