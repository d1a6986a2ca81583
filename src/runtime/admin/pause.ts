import { setTimeout as elapsed } from 'node:timers/promises';

/** Waits until the time is over or the signal aborts. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return elapsed(ms, undefined, { signal }).catch(() => {});
}
