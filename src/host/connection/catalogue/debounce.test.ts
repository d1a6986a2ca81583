import { expect, test, vi } from 'vitest';
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

test('runs that follow each other come further apart; after a rest they come at once again', async () => {
  vi.useFakeTimers();
  try {
    const runsAt: number[] = [];
    const debounce = new Debounce(async () => void runsAt.push(performance.now()), 100, 1_000);
    const began = performance.now();
    const poking = setInterval(() => debounce.poke(), 150);
    await vi.advanceTimersByTimeAsync(20_000);
    clearInterval(poking);
    const apart = runsAt.map((at, index) => at - (runsAt[index - 1] ?? began));
    expect([apart[0], apart.slice(1).every((ms) => ms >= 1_000), apart.length > 10]).toEqual([250, true, true]);
    await vi.advanceTimersByTimeAsync(5_000);
    const before = runsAt.length;
    debounce.poke();
    await vi.advanceTimersByTimeAsync(100);
    expect(runsAt.length).toBe(before + 1);
  } finally {
    vi.useRealTimers();
  }
});

test('pokes without end do not put the run off for ever', async () => {
  const ran = new Promise<void>((resolve) => {
    const debounce = new Debounce(async () => resolve(), 1_000_000, 20);
    const poking = setInterval(() => debounce.poke(), 1);
    setTimeout(() => clearInterval(poking), 1_000);
  });
  await ran;
});
