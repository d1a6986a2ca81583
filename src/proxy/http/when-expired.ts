import type { Holding } from '../../contract/operation.ts';

/** The longest delay that a timer supports. */
const WAIT_MS_MAX = 2 ** 31 - 1;

/** Calls back once when a credential expires or is revoked. The returned function stops waiting. */
export function whenExpired({ until = Number.POSITIVE_INFINITY, over }: Holding, then: () => void): () => void {
  let timer: NodeJS.Timeout | undefined;
  const stop = () => {
    clearTimeout(timer);
    over?.removeEventListener('abort', end);
  };
  const end = () => {
    stop();
    then();
  };
  const wait = () => {
    const leftMs = over?.aborted ? 0 : Math.max(0, until - Date.now());
    timer = setTimeout(leftMs > WAIT_MS_MAX ? wait : end, Math.min(leftMs, WAIT_MS_MAX));
    timer.unref();
  };
  if (until !== Number.POSITIVE_INFINITY || over?.aborted) wait();
  over?.addEventListener('abort', end, { once: true });
  return stop;
}
