import { expect, test, vi } from 'vitest';
import { Debounce } from './debounce.ts';

test('many pokes cause one run, and one more if they come during it', async () => {
  let runs = 0;
  let finish = (_restMs?: number) => {};
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

test('consecutive runs are spaced further apart; after a rest they are quick again', async () => {
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

test('costly work rests as long as it asks for, however often it is poked, and cheap work does not', async () => {
  vi.useFakeTimers();
  try {
    const runsAt: number[] = [];
    const rests = [5_000, 5_000, 0, 0];
    const work = async () => {
      runsAt.push(performance.now());
      return rests[runsAt.length - 1];
    };
    const debounce = new Debounce(work, 100, 1_000);
    const poking = setInterval(() => debounce.poke(), 50);
    await vi.advanceTimersByTimeAsync(16_000);
    clearInterval(poking);
    const apart = runsAt.slice(1).map((at, index) => at - (runsAt[index] as number));
    expect(apart.slice(0, 4).map((ms) => ms >= 5_000)).toEqual([true, true, false, false]);
  } finally {
    vi.useRealTimers();
  }
});

test('endless pokes do not postpone the run forever', async () => {
  let poking: NodeJS.Timeout | undefined;
  await new Promise<void>((resolve) => {
    const debounce = new Debounce(async () => void resolve(), 1_000_000, 20);
    poking = setInterval(() => debounce.poke(), 1);
  });
  clearInterval(poking);
});

test('a run starts after the quiet time, or at the latest after the maximum time', async () => {
  vi.useFakeTimers();
  try {
    let runs = 0;
    const work = async () => {
      runs += 1;
      return undefined;
    };
    const debounce = new Debounce(work, 100, 250);
    const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);
    debounce.poke();
    await pass(99);
    debounce.poke();
    await pass(99);
    debounce.poke();
    // Fractions of a millisecond may be cut.
    await pass(50);
    const early = runs;
    await pass(2);
    expect([early, runs]).toEqual([0, 1]);
    await pass(10_000);
    debounce.poke();
    await pass(99);
    const before = runs;
    await pass(1);
    expect([before, runs]).toEqual([1, 2]);
    expect(vi.getTimerCount()).toBe(0);
  } finally {
    vi.useRealTimers();
  }
});

test('a failing run counts as a run, and the next poke runs again', async () => {
  vi.useFakeTimers();
  try {
    let runs = 0;
    const debounce = new Debounce(
      async () => {
        runs += 1;
        throw new Error('no');
      },
      10,
      100,
    );
    debounce.poke();
    await vi.advanceTimersByTimeAsync(1_000);
    debounce.poke();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(runs).toBe(2);
  } finally {
    vi.useRealTimers();
  }
});

test('a poke during a run that is then cancelled does not run; a later one does', async () => {
  vi.useFakeTimers();
  try {
    let runs = 0;
    let finish = (_restMs?: number) => {};
    const debounce = new Debounce(
      () => {
        runs += 1;
        return new Promise((resolve) => {
          finish = resolve;
        });
      },
      5,
      50,
    );
    debounce.poke();
    await vi.advanceTimersByTimeAsync(5);
    debounce.poke();
    debounce.cancel();
    finish();
    await vi.advanceTimersByTimeAsync(1_000);
    const cancelled = runs;
    debounce.poke();
    await vi.advanceTimersByTimeAsync(5);
    expect([cancelled, runs]).toEqual([1, 2]);
  } finally {
    vi.useRealTimers();
  }
});
