import type { CancelSignal } from '../contract/cancellation.ts';
import { cancelledError } from './connection/exchange/exchanges.ts';

/** Stops waiting if the signal aborts; the work continues. */
export async function unlessAborted<T>(work: Promise<T>, signal: CancelSignal): Promise<T> {
  let stop = () => {};
  const aborted = new Promise<never>((_resolve, reject) => {
    stop = () => reject(cancelledError());
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
