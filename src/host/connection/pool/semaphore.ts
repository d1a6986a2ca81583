import { Turns } from '../../../wire/turns.ts';

/** A FIFO semaphore. Each holder starts in its own turn of the event loop. */
export class Semaphore {
  readonly #turns = new Turns();
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(count: number) {
    this.#free = count;
  }

  async use<T>(work: () => Promise<T>): Promise<T> {
    await this.#enter();
    try {
      await this.#turns.next();
      return await work();
    } finally {
      this.#leave();
    }
  }

  /** Releases the permit during the work, and acquires one again afterwards. */
  async away<T>(work: () => Promise<T>): Promise<T> {
    this.#leave();
    try {
      return await work();
    } finally {
      await this.#enter();
    }
  }

  async #enter(): Promise<void> {
    if (this.#free > 0) this.#free--;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  #leave(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#free++;
    else next();
  }
}
