import { seededRandom } from '../hostile-input.ts';

/** Draws from a seed: the same seed gives the same set on every machine. */
export class SeededDraws {
  readonly #next: () => number;

  constructor(seed: number) {
    this.#next = seededRandom(seed);
  }

  /** From 0 to below the limit. */
  below(limit: number): number {
    return Math.floor(this.#next() * limit);
  }

  chance(probability: number): boolean {
    return this.#next() < probability;
  }

  pick<T>(list: readonly T[]): T {
    return list[this.below(list.length)] as T;
  }

  /** One of a list whose first items are much more frequent than its last, as the words of a language are. */
  pickUneven<T>(list: readonly T[]): T {
    return list[Math.min(list.length - 1, Math.floor(list.length ** this.#next()) - 1)] as T;
  }

  /** Sizes as files have them: many near the median, a few many times as large. */
  logNormal(median: number, spread: number): number {
    const radius = Math.sqrt(-2 * Math.log(1 - this.#next()));
    return median * Math.exp(spread * radius * Math.cos(2 * Math.PI * this.#next()));
  }
}
