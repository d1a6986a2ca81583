import { expect, test } from 'vitest';
import { HeavyTurns, Turns } from './turns.ts';

test('simultaneous work runs one turn after another, in order, with room for others in between', async () => {
  const turns = new Turns();
  const order: string[] = [];
  let left = 4;
  const others = () => {
    order.push('other');
    if (left > 0) setImmediate(others);
  };
  setImmediate(others);
  await Promise.all(
    ['a', 'b', 'c', 'd'].map(async (name) => {
      await turns.next();
      order.push(name);
      left -= 1;
    }),
  );
  expect(order.join(' ').replace(/( other)+/g, ' other')).toBe('other a other b other c other d');
});

test('heavy jobs start in order, and a small request of several turns waits for one of them at most', async () => {
  const heavy = new HeavyTurns();
  const order: string[] = [];
  const jobs = ['a', 'b', 'c'].map(async (name) => {
    await heavy.next();
    order.push(name);
    const end = performance.now() + 30;
    while (performance.now() < end);
  });
  await new Promise((resolve) => setImmediate(resolve));
  for (let turn = 0; turn < 4; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  order.push('small');
  await Promise.all(jobs);
  expect(order).toEqual(['a', 'small', 'b', 'c']);
});

test('a lone job starts at once, also after an earlier one', async () => {
  const heavy = new HeavyTurns();
  for (let job = 0; job < 2; job += 1) {
    let isNextTurn = false;
    setImmediate(() => {
      isNextTurn = true;
    });
    await heavy.next();
    expect(isNextTurn).toBe(false);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
});
