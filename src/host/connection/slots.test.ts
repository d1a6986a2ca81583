import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Slots } from './slots.ts';

test('no more than the number work at once, all of them do, and in order', async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 4 }), fc.array(fc.nat(3), { maxLength: 20 }), async (count, turns) => {
      const slots = new Slots(count);
      const begun: number[] = [];
      let atOnce = 0;
      let most = 0;
      const work = (index: number, waits: number) =>
        slots.use(async () => {
          begun.push(index);
          most = Math.max(most, ++atOnce);
          for (let i = 0; i < waits; i++) await null;
          atOnce--;
          return index;
        });
      const results = await Promise.all(turns.map((waits, index) => work(index, waits)));
      const all = turns.map((_, index) => index);
      expect([results, begun, most <= count]).toEqual([all, all, true]);
    }),
  );
});

test('who is away leaves its place to others, and a failure frees it', async () => {
  const slots = new Slots(1);
  const order: string[] = [];
  let back = () => {};
  const waiting = new Promise<void>((resolve) => {
    back = resolve;
  });
  const first = slots.use(async () => {
    await slots.away(() => waiting);
    order.push('first');
  });
  const second = slots.use(async () => {
    order.push('second');
    back();
    throw new Error('no');
  });
  await expect(second).rejects.toThrow('no');
  await first;
  expect(order).toEqual(['second', 'first']);
});
