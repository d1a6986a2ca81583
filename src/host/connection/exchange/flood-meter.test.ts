import { expect, test, vi } from 'vitest';
import { FloodMeter } from './flood-meter.ts';

test('more than the maximum within the window is a flood', () => {
  const meter = new FloodMeter(3, 60_000);
  expect(Array.from({ length: 5 }, () => meter.isFlooded())).toEqual([false, false, false, true, true]);
});

test('the same number over a longer time is not a flood', () => {
  const meter = new FloodMeter(3, 0);
  expect(Array.from({ length: 9 }, () => meter.isFlooded())).toEqual(Array(9).fill(false));
});

test('the count of the window is known before it is a flood, and reset with the window', () => {
  const holds = (windowMs: number) => {
    const meter = new FloodMeter(10, windowMs);
    return [1, 2, 3].map(() => {
      meter.isFlooded();
      return meter.holdsMoreThan(2);
    });
  };
  expect([holds(60_000), holds(0)]).toEqual([
    [false, false, true],
    [false, false, false],
  ]);
});

test('the window begins with its first event, and the next one after it', () => {
  vi.useFakeTimers();
  try {
    const meter = new FloodMeter(3, 100);
    const at = (ms: number) => {
      vi.advanceTimersByTime(ms);
      return meter.isFlooded();
    };
    expect([at(0), at(60), at(39), at(0), at(0)]).toEqual([false, false, false, true, true]);
    expect([at(1), at(50), at(0), at(0), at(49), at(51)]).toEqual([false, false, false, false, true, false]);
  } finally {
    vi.useRealTimers();
  }
});
