/** A token bucket of bytes: says how long to rest after each piece so that a stream is read no faster than its rate, after a burst. */
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

  /** Takes what was read; the milliseconds after which the next piece is due. */
  take(bytes: number): number {
    const now = this.#now();
    const earned = ((now - this.#since) * this.#bytesPerSecond) / 1_000;
    this.#left = Math.min(this.#burstBytes, this.#left + earned) - bytes;
    this.#since = now;
    return this.#left >= 0 ? 0 : Math.ceil((-this.#left * 1_000) / this.#bytesPerSecond);
  }
}
