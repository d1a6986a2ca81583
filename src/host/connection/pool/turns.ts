import { setImmediate } from 'node:timers/promises';

/** Hands out turns of the event loop, one each: work that comes for many servers at once leaves room for calls in between. */
export class Turns {
  #last: Promise<void> = Promise.resolve();

  /** Resolves in a turn of the event loop that no other waiter shares. */
  next(): Promise<void> {
    this.#last = this.#last.then(() => setImmediate());
    return this.#last;
  }
}
