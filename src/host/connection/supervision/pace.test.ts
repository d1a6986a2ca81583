import { expect, test } from 'vitest';
import { Pace } from './pace.ts';

test('who comes alone begins at once, and many one after the other', () => {
  const pace = new Pace(20, 1_000);
  const together = [100, 100, 105].map((now) => now + pace.waitMs(now));
  expect([together, pace.waitMs(500), pace.waitMs(505)]).toEqual([[100, 120, 140], 0, 15]);
});

test('nobody waits longer than the longest, however many come', () => {
  const pace = new Pace(20, 50);
  expect([1, 2, 3, 4, 5, 6].map(() => pace.waitMs(0))).toEqual([0, 20, 40, 50, 50, 50]);
  expect(pace.waitMs(70)).toBe(0);
});
