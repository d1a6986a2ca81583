/** Counts events per time window and reports when there are too many. */
export class FloodMeter {
  readonly #max: number;
  readonly #windowMs: number;
  #startedAt = 0;
  #count = 0;

  constructor(max: number, windowMs: number) {
    this.#max = max;
    this.#windowMs = windowMs;
  }

  /**
   * Counts one event; true if the window holds more than the maximum. Reads the clock only at the start of a window and above the
   * maximum.
   */
  isFlooded(): boolean {
    if (this.#count++ === 0) this.#startedAt = performance.now();
    if (this.#count <= this.#max) return false;
    if (this.#isWithinWindow()) return true;
    this.#count = 0;
    return false;
  }

  /** Whether the current window holds more than `count` events. */
  holdsMoreThan(count: number): boolean {
    return this.#count > count && this.#isWithinWindow();
  }

  #isWithinWindow(): boolean {
    return performance.now() - this.#startedAt < this.#windowMs;
  }
}
