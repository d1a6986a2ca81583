import { afterEach, expect, test, vi } from 'vitest';
import { CONNECTION_LIMITS as LIMITS } from '../connection/limits.ts';
import type { GuardOrder } from './guard-orders.ts';
import { GuardedProcess } from './guarded-process.ts';

afterEach(() => vi.useRealTimers());

test('[wire:GUARD] a start that the guard leaves unanswered fails after a while, and is taken back', async () => {
  vi.useFakeTimers();
  const orders: GuardOrder[] = [];
  const command = { file: 'cat', args: [], cwd: '/', env: {} };
  const events = { onOutput: () => {}, onErrorOutput: () => {}, onEnd: () => {} };
  const { started } = new GuardedProcess(7, command, events, (order) => orders.push(order));
  const failed = expect(started).rejects.toThrow('the process that starts servers does not answer');
  await vi.advanceTimersByTimeAsync(LIMITS.processStartMs);
  await failed;
  expect(orders).toEqual([{ start: 7, command }, { cancel: 7 }]);
});
