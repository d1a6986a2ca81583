import { expect, test } from 'vitest';
import { Turns } from './semaphore.ts';

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
