import type { Connection } from '../connection.ts';
import { CONNECTION_LIMITS as LIMITS } from '../limits.ts';

/** Calls back after the connection was idle for `idleMs`; returns a function that cancels. */
export function whenIdle({ exchanges }: Connection, idleMs: number, onIdle: () => void): () => void {
  let timer: NodeJS.Timeout;
  const leftMs = () => exchanges.lastUsedAt + idleMs - performance.now();
  const wait = () => {
    timer = setTimeout(
      () => {
        if (leftMs() > 0 || exchanges.busy) wait();
        else onIdle();
      },
      Math.max(leftMs(), LIMITS.idleCheckMinMs),
    );
    timer.unref();
  };
  wait();
  return () => clearTimeout(timer);
}
