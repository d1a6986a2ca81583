import { expect, test } from 'vitest';
import { afterFailure, backoffMs, NO_FAILURES } from './backoff.ts';

function waits(stdio: boolean, lives: readonly (number | undefined)[]): number[] {
  let state = NO_FAILURES;
  return lives.map((livedMs) => {
    state = afterFailure(state, livedMs);
    return backoffMs(state, stdio, 0.5);
  });
}

test('[wire:BACKOFF] waits double from a second to a minute', () => {
  expect(waits(false, Array(8).fill(undefined))).toEqual([1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000]);
});

test('[wire:BACKOFF] a child that dies right after its start five times waits a minute', () => {
  expect(waits(true, Array(6).fill(100))).toEqual([1000, 2000, 4000, 8000, 60_000, 60_000]);
});

test('after a stable connection the reconnect is immediate, and failures are reset', () => {
  expect(waits(true, [undefined, undefined, 6000, undefined])).toEqual([1000, 2000, 0, 1000]);
});

test('the jitter is at most 20 %', () => {
  const state = afterFailure(NO_FAILURES, undefined);
  expect([backoffMs(state, false, 0), backoffMs(state, false, 1)]).toEqual([800, 1200]);
});
