/** Runs work once after a quiet time, and at the latest after a longest one. Runs do not overlap. */
export class Debounce {
  readonly #work: () => Promise<void>;
  readonly #quietMs: number;
  readonly #maxMs: number;
  #timer: NodeJS.Timeout | undefined;
  #first: number | undefined;
  #running = false;
  #again = false;

  constructor(work: () => Promise<void>, quietMs: number, maxMs: number) {
    this.#work = work;
    this.#quietMs = quietMs;
    this.#maxMs = maxMs;
  }

  poke(): void {
    if (this.#running) {
      this.#again = true;
      return;
    }
    const now = performance.now();
    this.#first ??= now;
    clearTimeout(this.#timer);
    const waitMs = Math.max(0, Math.min(this.#quietMs, this.#first + this.#maxMs - now));
    this.#timer = setTimeout(() => this.#run(), waitMs);
    this.#timer.unref();
  }

  cancel(): void {
    clearTimeout(this.#timer);
    this.#first = undefined;
    this.#again = false;
  }

  #run(): void {
    this.#first = undefined;
    this.#running = true;
    // The work reports its own failures.
    this.#work()
      .catch(() => {})
      .finally(() => {
        this.#running = false;
        if (!this.#again) return;
        this.#again = false;
        this.poke();
      });
  }
}
