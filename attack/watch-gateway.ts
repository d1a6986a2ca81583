import { setTimeout as sleep } from 'node:timers/promises';
import { type RunningBindery, rssOf } from '../test/support/running-bindery.ts';

/** What a gateway went through while it was attacked. */
export interface Strain {
  /** The longest that `/healthz` took to answer. */
  readonly stallMs: number;
  readonly rssMb: number;
}

/** Asks a gateway for its health, again and again, until told to stop. */
export function watchGateway(bindery: RunningBindery, everyMs = 50): () => Promise<Strain> {
  const stopping = new AbortController();
  let stallMs = 0;
  let rssMb = 0;
  const look = async () => {
    while (!stopping.signal.aborted && bindery.process.exitCode === null) {
      const started = performance.now();
      // An attack may stop the gateway on purpose: a refused connection is no stall.
      await fetch(`${bindery.url}/healthz`, { signal: stopping.signal })
        .then((answer) => answer.arrayBuffer())
        .then(() => {
          stallMs = Math.max(stallMs, performance.now() - started);
          rssMb = Math.max(rssMb, rssOf(bindery.process.pid));
        })
        .catch(() => undefined);
      await sleep(everyMs, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  };
  const looking = look();
  return async () => {
    stopping.abort();
    await looking;
    return { stallMs: Math.round(stallMs), rssMb };
  };
}
