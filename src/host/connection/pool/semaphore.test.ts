import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Semaphore } from './semaphore.ts';

test('at most the given number work at the same time, all of them get a turn, and in order', async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 4 }), fc.array(fc.nat(3), { maxLength: 20 }), async (count, turns) => {
      const slots = new Semaphore(count);
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

test('a permit that is handed over is not free: a later caller waits, as in a naive model', async () => {
  const event = fc.oneof(fc.constant('come' as const), fc.nat(9));
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 3 }), fc.array(event, { maxLength: 30 }), async (count, events) => {
      const slots = new Semaphore(count);
      const inside: { readonly who: number; readonly leave: () => void }[] = [];
      const model = { inside: [] as number[], waiting: [] as number[] };
      let comers = 0;
      const seen: number[][] = [];
      const expected: number[][] = [];
      for (const one of events) {
        if (one === 'come') {
          const who = comers;
          comers += 1;
          void slots.use(() => new Promise<void>((leave) => inside.push({ who, leave })));
          if (model.inside.length < count) model.inside.push(who);
          else model.waiting.push(who);
        } else if (inside.length > 0) {
          const at = one % inside.length;
          inside.splice(at, 1)[0]?.leave();
          model.inside.splice(at, 1);
          model.inside.push(...model.waiting.splice(0, 1));
        }
        await settled(count);
        seen.push(inside.map(({ who }) => who));
        expected.push([...model.inside]);
      }
      for (const { leave } of inside) leave();
      expect(seen).toEqual(expected);
    }),
    { numRuns: 50 },
  );
});

/** Each begins in a turn of its own. */
async function settled(turns: number): Promise<void> {
  for (let turn = 0; turn < 2 * turns + 4; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

test('`away` releases the permit for others, and so does a failure', async () => {
  const slots = new Semaphore(1);
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
