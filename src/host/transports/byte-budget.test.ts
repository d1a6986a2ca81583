import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ByteBudget } from './byte-budget.ts';

test('a reader that pauses as requested reads the burst at once, and then at most at the rate', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 5_000 }), { minLength: 1, maxLength: 50 }), (pieces) => {
      let now = 0;
      let read = 0;
      const budget = new ByteBudget(10_000, 1_000, () => now);
      for (const bytes of pieces) {
        // What is read before a rest is one piece too many at most.
        expect(read).toBeLessThanOrEqual(10_000 + now);
        read += bytes;
        now += budget.take(bytes);
      }
    }),
  );
  let now = 0;
  const idle = new ByteBudget(10_000, 1_000, () => now);
  const first = [idle.take(10_000), idle.take(500)];
  now = 60_000;
  expect([first, idle.take(10_000), idle.take(1)]).toEqual([[0, 500], 0, 1]);
});
