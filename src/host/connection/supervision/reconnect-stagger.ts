import { setTimeout as wait } from 'node:timers/promises';

/** Staggers reconnects, so that servers that failed together do not all retry at once and hold up calls. */
export class ReconnectStagger {
  readonly #apartMs: number;
  readonly #waitMaxMs: number;
  #nextAt = 0;

  /** A reconnect waits at most `waitMaxMs`, however many there are. */
  constructor(apartMs: number, waitMaxMs: number) {
    this.#apartMs = apartMs;
    this.#waitMaxMs = waitMaxMs;
  }

  /** Resolves when the reconnect may begin, or at once if the signal aborts. */
  async turn(signal: AbortSignal): Promise<void> {
    const waitMs = this.waitMs(performance.now());
    if (waitMs === 0) return;
    await wait(waitMs, undefined, { signal }).catch(() => {
      // The caller checks the signal.
    });
  }

  /** How long a reconnect that begins now has to wait. */
  waitMs(now: number): number {
    const at = Math.min(Math.max(now, this.#nextAt), now + this.#waitMaxMs);
    this.#nextAt = at + this.#apartMs;
    return at - now;
  }
}
