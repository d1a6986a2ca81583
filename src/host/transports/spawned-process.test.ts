import { afterEach, expect, test, vi } from 'vitest';
import { CONNECTION_LIMITS as LIMITS } from '../connection/limits.ts';
import { SpawnedProcess } from './spawned-process.ts';
import type { SpawnerOrder } from './spawner-orders.ts';

afterEach(() => vi.useRealTimers());

test('[wire:GUARD] a start that the spawner does not answer times out and is cancelled', async () => {
  vi.useFakeTimers();
  const orders: SpawnerOrder[] = [];
  const command = { file: 'cat', args: [], cwd: '/', env: {} };
  const events = { onOutput: () => {}, onErrorOutput: () => {}, onEnd: () => {} };
  const { started } = new SpawnedProcess(7, command, events, (order) => orders.push(order));
  const failed = expect(started).rejects.toThrow('the process that starts servers does not answer');
  await vi.advanceTimersByTimeAsync(LIMITS.processStartMs);
  await failed;
  expect(orders).toEqual([{ start: 7, command }, { cancel: 7 }]);
});
