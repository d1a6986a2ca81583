import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { whenExpired } from './when-expired.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const DAY_MS = 86_400_000;

test('a credential expires at its time, however far away, and not before', () => {
  const over = vi.fn();
  whenExpired({ until: Date.now() + 90 * DAY_MS }, over);
  vi.advanceTimersByTime(90 * DAY_MS - 1);
  expect(over).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  expect([over.mock.calls.length, vi.getTimerCount()]).toEqual([1, 0]);
});

test('a revoked credential ends at once, also if it was revoked before', () => {
  const [over, before] = [vi.fn(), vi.fn()];
  const taken = new AbortController();
  whenExpired({ until: Date.now() + DAY_MS, over: taken.signal }, over);
  taken.abort();
  whenExpired({ over: taken.signal }, before);
  vi.advanceTimersByTime(2 * DAY_MS);
  expect([over.mock.calls.length, before.mock.calls.length]).toEqual([1, 1]);
});

test('after stopping there is no callback, and no timer is left', () => {
  const over = vi.fn();
  const taken = new AbortController();
  whenExpired({ until: Date.now() + 1, over: taken.signal }, over)();
  whenExpired({}, over);
  taken.abort();
  vi.advanceTimersByTime(DAY_MS);
  expect([over.mock.calls.length, vi.getTimerCount()]).toEqual([0, 0]);
});
