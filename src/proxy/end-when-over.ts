import type { ServerResponse } from 'node:http';

/** Timers cannot wait for longer. */
const WAIT_MS_MAX = 2 ** 31 - 1;

/** Ends a stream that outlives its request when the credential that opened it does not hold any more. */
export function endWhenOver(response: ServerResponse, until: number, now = Date.now()): void {
  const timer = setTimeout(() => response.end(), Math.min(Math.max(0, until - now), WAIT_MS_MAX));
  timer.unref();
  response.once('close', () => clearTimeout(timer));
}
