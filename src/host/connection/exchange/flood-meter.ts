/** Counts events in windows of time and says when there are too many. */
export class FloodMeter {
  readonly #max: number;
  readonly #windowMs: number;
  #startedAt = 0;
  #count = 0;

  constructor(max: number, windowMs: number) {
    this.#max = max;
    this.#windowMs = windowMs;
  }

  /** Counts one event; true once the window holds more than the maximum. The clock is read rarely. */
  isFlooded(): boolean {
    if (this.#count++ === 0) this.#startedAt = performance.now();
    if (this.#count <= this.#max) return false;
    if (this.#isWithinWindow()) return true;
    this.#count = 0;
    return false;
  }

  /** Whether the window holds more than so many by now. */
  holdsMoreThan(count: number): boolean {
    return this.#count > count && this.#isWithinWindow();
  }

  #isWithinWindow(): boolean {
    return performance.now() - this.#startedAt < this.#windowMs;
  }
}
