import { setImmediate } from 'node:timers/promises';

/** Hands out turns of the event loop, one each: work that comes for many servers at once leaves room for calls in between. */
export class Turns {
  #last: Promise<void> = Promise.resolve();

  /** Resolves in a turn that nobody else has. */
  next(): Promise<void> {
    this.#last = this.#last.then(() => setImmediate());
    return this.#last;
  }
}
