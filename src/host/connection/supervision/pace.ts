import { setTimeout as wait } from 'node:timers/promises';

/** Staggers reconnects, so that servers that failed together do not all retry at once and hold up calls. */
export class Pace {
  readonly #apartMs: number;
  readonly #waitMaxMs: number;
  #nextAt = 0;

  /** Nobody waits longer than `waitMaxMs`, however many come. */
  constructor(apartMs: number, waitMaxMs: number) {
    this.#apartMs = apartMs;
    this.#waitMaxMs = waitMaxMs;
  }

  /** Resolves when it is one's turn, and at once when the signal says that it is not wanted any more. */
  async turn(signal: AbortSignal): Promise<void> {
    const waitMs = this.waitMs(performance.now());
    if (waitMs === 0) return;
    await wait(waitMs, undefined, { signal }).catch(() => {
      // Whoever gave it up looks at the signal.
    });
  }

  /** How long who comes now is to wait. */
  waitMs(now: number): number {
    const at = Math.min(Math.max(now, this.#nextAt), now + this.#waitMaxMs);
    this.#nextAt = at + this.#apartMs;
    return at - now;
  }
}
