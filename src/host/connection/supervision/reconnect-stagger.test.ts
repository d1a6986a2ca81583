import { expect, test } from 'vitest';
import { ReconnectStagger } from './reconnect-stagger.ts';

test('a single reconnect starts at once, and many are staggered', () => {
  const stagger = new ReconnectStagger(20, 1_000);
  const together = [100, 100, 105].map((now) => now + stagger.waitMs(now));
  expect([together, stagger.waitMs(500), stagger.waitMs(505)]).toEqual([[100, 120, 140], 0, 15]);
});

test('the wait has a maximum, however many reconnects there are', () => {
  const stagger = new ReconnectStagger(20, 50);
  expect([1, 2, 3, 4, 5, 6].map(() => stagger.waitMs(0))).toEqual([0, 20, 40, 50, 50, 50]);
  expect(stagger.waitMs(70)).toBe(0);
});
