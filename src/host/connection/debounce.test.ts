import { expect, test } from 'vitest';
import { Debounce } from './debounce.ts';

test('many pokes are one run, and one more if they come while it runs', async () => {
  let runs = 0;
  let finish = () => {};
  let began = () => {};
  const started = () =>
    new Promise<void>((resolve) => {
      began = resolve;
    });
  const debounce = new Debounce(
    () => {
      runs++;
      began();
      return new Promise((resolve) => {
        finish = resolve;
      });
    },
    5,
    50,
  );
  const first = started();
  for (let i = 0; i < 10; i++) debounce.poke();
  await first;
  expect(runs).toBe(1);
  const second = started();
  for (let i = 0; i < 10; i++) debounce.poke();
  finish();
  await second;
  finish();
  expect(runs).toBe(2);
});

test('pokes without end do not put the run off for ever', async () => {
  const ran = new Promise<void>((resolve) => {
    const debounce = new Debounce(async () => resolve(), 1_000_000, 20);
    const poking = setInterval(() => debounce.poke(), 1);
    setTimeout(() => clearInterval(poking), 1_000);
  });
  await ran;
});
