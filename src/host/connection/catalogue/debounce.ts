/** Returns how long to rest before it runs again, in milliseconds; undefined: not at all. */
type Work = () => Promise<number | undefined>;

/**
 * Runs work after `quietMs` without a poke, and at most `maxMs` after the first poke. Runs do not overlap. If a poke comes within
 * `maxMs` of the last run, the quiet time doubles, up to `maxMs`, so that endless pokes cause one run per `maxMs`. Work that was costly asks
 * for a longer rest.
 */
export class Debounce {
  readonly #work: Work;
  readonly #quietMs: number;
  readonly #maxMs: number;
  #timer: NodeJS.Timeout | undefined;
  #first: number | undefined;
  #running = false;
  #again = false;
  #ranAt = Number.NEGATIVE_INFINITY;
  #streak = 0;
  #restsUntil = Number.NEGATIVE_INFINITY;

  constructor(work: Work, quietMs: number, maxMs: number) {
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
    if (this.#first === undefined) this.#streak = now - this.#ranAt < this.#maxMs ? this.#streak + 1 : 0;
    this.#first ??= now;
    clearTimeout(this.#timer);
    const quietMs = this.#quietMs * 2 ** this.#streak;
    const waitMs = Math.max(0, Math.min(quietMs, this.#first + this.#maxMs - now), this.#restsUntil - now);
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
      .catch(() => undefined)
      .then((restMs = 0) => {
        this.#running = false;
        this.#ranAt = performance.now();
        this.#restsUntil = this.#ranAt + restMs;
        if (!this.#again) return;
        this.#again = false;
        this.poke();
      });
  }
}
