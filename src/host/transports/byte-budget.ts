/** A token bucket in bytes: after a burst, tells the reader how long to pause so that the stream stays within its rate. */
export class ByteBudget {
  readonly #burstBytes: number;
  readonly #bytesPerSecond: number;
  readonly #now: () => number;
  #left: number;
  #since: number;

  constructor(burstBytes: number, bytesPerSecond: number, now: () => number = () => performance.now()) {
    this.#burstBytes = burstBytes;
    this.#bytesPerSecond = bytesPerSecond;
    this.#now = now;
    this.#left = burstBytes;
    this.#since = now();
  }

  /** Counts bytes that were read; returns the milliseconds to pause before the next read. */
  take(bytes: number): number {
    const now = this.#now();
    const earned = ((now - this.#since) * this.#bytesPerSecond) / 1_000;
    this.#left = Math.min(this.#burstBytes, this.#left + earned) - bytes;
    this.#since = now;
    return this.#left >= 0 ? 0 : Math.ceil((-this.#left * 1_000) / this.#bytesPerSecond);
  }
}
