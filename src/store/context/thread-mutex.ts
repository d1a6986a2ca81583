const FREE = 0;
const TAKEN = 1;

/** A mutex between threads, in shared memory. */
export class ThreadMutex {
  readonly #state: Int32Array;

  constructor(memory: SharedArrayBuffer) {
    this.#state = new Int32Array(memory);
  }

  static memory(): SharedArrayBuffer {
    return new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT);
  }

  run<T>(work: () => T): T {
    while (Atomics.compareExchange(this.#state, 0, FREE, TAKEN) !== FREE) Atomics.wait(this.#state, 0, TAKEN);
    try {
      return work();
    } finally {
      Atomics.store(this.#state, 0, FREE);
      Atomics.notify(this.#state, 0, 1);
    }
  }
}
