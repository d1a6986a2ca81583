import { setTimeout as delay } from 'node:timers/promises';
import { PROXY_LIMITS } from '../limits.ts';
import type { Settled } from './approval-ports.ts';

/** SQLite's number for a database that another process writes. */
const BUSY = 5;

/** The pause before the next try, where a try has just found the database locked: all waiting writers share it. */
let rest: { readonly over: Promise<void>; readonly why: unknown } | undefined;

/**
 * Writes to a database of ours, and tries again while another process has it locked; the event loop goes on in between. Of all
 * waiting writers one tries at a time, since each try blocks the loop.
 */
export async function retryWhileBusy<T>(work: () => Settled<T>): Promise<T> {
  const deadline = performance.now() + PROXY_LIMITS.busyWaitMs;
  for (;;) {
    while (rest) {
      if (performance.now() >= deadline) throw rest.why;
      await rest.over;
    }
    try {
      return await work();
    } catch (thrown) {
      if (!isBusy(thrown)) throw thrown;
      rest ??= { over: delay(PROXY_LIMITS.busyRestMs).finally(endRest), why: thrown };
    }
  }
}

function endRest(): void {
  rest = undefined;
}

function isBusy(thrown: unknown): boolean {
  const { errcode } = (thrown ?? {}) as { errcode?: unknown };
  // The upper bits say more of the same.
  return typeof errcode === 'number' && (errcode & 0xff) === BUSY;
}
