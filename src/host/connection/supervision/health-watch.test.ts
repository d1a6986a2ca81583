import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { HealthWatch } from './health-watch.ts';

test('[wire:HEALTH] an ended watch probes no more, even if a check was running or is requested', async () => {
  let checks = 0;
  let answer = () => {};
  const watch = new HealthWatch({
    intervalMs: 1,
    timeoutMs: 1_000,
    random: () => 0.5,
    connection: () => undefined,
    check: () => {
      checks += 1;
      return new Promise((resolve) => {
        answer = () => resolve(true);
      });
    },
    onHealthy: () => {},
    onUnhealthy: async () => {},
  });
  watch.later();
  while (checks === 0) await sleep(1);
  watch.end();
  answer();
  await sleep(20);
  watch.soon(0);
  await sleep(20);
  expect(checks).toBe(1);
});
