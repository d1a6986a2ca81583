import { MEASURES } from './index-input.ts';
import type { Ranking } from './rank-chunks.ts';

/** The number of the tokens among the measures of a chunk. */
const TOKENS = 3;

/** Walks the chunks by score descending, then by number, and takes each one that still fits the budget. A budget of 0 takes none. */
export function selectChunks({ chunks, scores }: Ranking, measures: Uint16Array, budget: number): number[] {
  if (budget === 0) return [];
  const tokensOf = (chunk: number) => measures[chunk * MEASURES + TOKENS] as number;
  const isBefore = (left: number, right: number) => {
    const difference = (scores[left] as number) - (scores[right] as number);
    return difference > 0 || (difference === 0 && left < right);
  };
  const selected: number[] = [];
  let left = budget;
  let heap = Heap.of(
    chunks.filter((chunk) => tokensOf(chunk) <= left),
    isBefore,
  );
  let tooLong = 0;
  for (let best = heap.pop(); best !== undefined; best = heap.pop()) {
    const tokens = tokensOf(best);
    if (tokens <= left) {
      left -= tokens;
      selected.push(best);
    } else if (++tooLong > TOO_LONG_MAX) {
      // Most of the rest is too long: it is dropped at once instead of one by one.
      tooLong = 0;
      heap = Heap.of(
        heap.rest().filter((chunk) => tokensOf(chunk) <= left),
        isBefore,
      );
    }
  }
  return selected;
}

const TOO_LONG_MAX = 64;

/** Gives numbers from the first to the last without sorting them all. */
class Heap {
  readonly #numbers: Uint32Array;
  readonly #isBefore: (left: number, right: number) => boolean;
  #length: number;

  private constructor(numbers: Uint32Array, isBefore: (left: number, right: number) => boolean) {
    this.#numbers = numbers;
    this.#length = numbers.length;
    this.#isBefore = isBefore;
    for (let place = (this.#length >>> 1) - 1; place >= 0; place--) this.#sink(place);
  }

  /** The numbers are the heap's from then on. */
  static of(numbers: Uint32Array, isBefore: (left: number, right: number) => boolean): Heap {
    return new Heap(numbers, isBefore);
  }

  pop(): number | undefined {
    if (this.#length === 0) return undefined;
    const first = this.#numbers[0] as number;
    this.#length -= 1;
    this.#numbers[0] = this.#numbers[this.#length] as number;
    this.#sink(0);
    return first;
  }

  /** What is left, in no order. */
  rest(): Uint32Array {
    return this.#numbers.subarray(0, this.#length);
  }

  #sink(from: number): void {
    const numbers = this.#numbers;
    const number = numbers[from] as number;
    let place = from;
    for (let child = 2 * place + 1; child < this.#length; child = 2 * place + 1) {
      if (child + 1 < this.#length && this.#isBefore(numbers[child + 1] as number, numbers[child] as number))
        child += 1;
      const below = numbers[child] as number;
      if (!this.#isBefore(below, number)) break;
      numbers[place] = below;
      place = child;
    }
    numbers[place] = number;
  }
}
