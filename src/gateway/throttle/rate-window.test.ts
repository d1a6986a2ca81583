import { expect, test } from 'vitest';
import { countCall, type RateWindow } from './rate-window.ts';

test('a fixed one-minute window from the first call admits exactly the limit [gateway:P7]', () => {
  let window: RateWindow | undefined;
  const outcomes = [0, 10, 59_999, 59_999, 60_000, 60_001].map((now) => {
    const verdict = countCall(window, 2, now);
    if (verdict.allowed) window = verdict.window;
    return verdict.allowed || verdict.retryAfterMs;
  });
  expect(outcomes).toEqual([true, true, 1, 1, true, true]);
});
