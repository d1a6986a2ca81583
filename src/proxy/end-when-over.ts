import { type EdgeResponse, whenClosed } from './edge-exchange.ts';

/** Timers cannot wait for longer. */
const WAIT_MS_MAX = 2 ** 31 - 1;

/** Ends a stream that outlives its request when the credential that opened it does not hold any more. */
export function endWhenOver(response: EdgeResponse, until: number, over?: AbortSignal, now = Date.now()): void {
  const end = () => void response.end();
  const timer = setTimeout(end, over?.aborted ? 0 : Math.min(Math.max(0, until - now), WAIT_MS_MAX));
  timer.unref();
  over?.addEventListener('abort', end, { once: true });
  whenClosed(response, () => {
    clearTimeout(timer);
    over?.removeEventListener('abort', end);
  });
}
