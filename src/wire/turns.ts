import { setImmediate as nextTurn } from 'node:timers/promises';

/** Gives each waiter its own turn of the event loop, in order, so that work for many servers leaves room for calls in between. */
export class Turns {
  #last: Promise<void> = Promise.resolve();

  next(): Promise<void> {
    this.#last = this.#last.then(() => nextTurn());
    return this.#last;
  }
}

/** A shorter job leaves no pause, and no pause is longer. */
const SHORT_JOB_MS = 5;
const PAUSE_MS_MAX = 100;

/**
 * Starts heavy jobs one at a time, at most one in each turn of the event loop. If others wait, the next one waits as long as the job
 * before it took: a small request needs several turns, and would otherwise wait for a heavy job in each of them.
 */
export class HeavyTurns {
  readonly #waiting: (() => void)[] = [];
  #isBusy = false;

  /** Resolves when the job may start, which is at once if no other job is there. */
  async next(): Promise<void> {
    if (this.#isBusy) await new Promise<void>((start) => this.#waiting.push(start));
    this.#isBusy = true;
    const startedAt = performance.now();
    // The job starts when this promise resolves, so the next turn begins after it.
    setImmediate(() => this.#end(performance.now() - startedAt));
  }

  #end(tookMs: number): void {
    if (this.#waiting.length === 0) this.#isBusy = false;
    else if (tookMs < SHORT_JOB_MS) this.#startNext();
    else setTimeout(() => this.#startNext(), Math.min(tookMs, PAUSE_MS_MAX));
  }

  #startNext(): void {
    this.#waiting.shift()?.();
  }
}

/** The heavy jobs of this process: requests with large bodies, and searches. */
export const heavyTurns = new HeavyTurns();
