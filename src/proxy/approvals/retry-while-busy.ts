import { setTimeout as delay } from 'node:timers/promises';
import { PROXY_LIMITS } from '../limits.ts';
import type { Settled } from './approval-ports.ts';

/** SQLITE_BUSY: another process has locked the database. */
const BUSY = 5;

/** The pause after a try found the database locked. All waiting writers share it. */
let pause: { readonly over: Promise<void>; readonly why: unknown } | undefined;

/**
 * Retries a write while another process has the database locked, without blocking the event loop in between. Only one waiting writer
 * tries at a time, since each try blocks the loop.
 */
export async function retryWhileBusy<T>(work: () => Settled<T>): Promise<T> {
  const deadline = performance.now() + PROXY_LIMITS.busyWaitMs;
  for (;;) {
    while (pause) {
      if (performance.now() >= deadline) throw pause.why;
      await pause.over;
    }
    try {
      return await work();
    } catch (thrown) {
      if (!isBusy(thrown)) throw thrown;
      pause ??= { over: delay(PROXY_LIMITS.busyPauseMs).finally(endPause), why: thrown };
    }
  }
}

function endPause(): void {
  pause = undefined;
}

function isBusy(thrown: unknown): boolean {
  const { errcode } = (thrown ?? {}) as { errcode?: unknown };
  // The upper bits hold the extended code.
  return typeof errcode === 'number' && (errcode & 0xff) === BUSY;
}
