import type { TokenRanks } from './token-ranks.ts';

/** Heap keys combine rank and position, so that among equal ranks the leftmost pair is merged first. */
const POSITIONS = 2 ** 32;
const NONE = -1;
const PIECE_BYTES = 256;

/**
 * Byte-pair encoding: repeatedly merges the adjacent parts whose token has the lowest rank. A heap keeps long pieces cheap, because a
 * server may send a word of a million letters.
 */
export class BytePairs {
  readonly #ranks: TokenRanks;
  readonly #heap: number[] = [];
  /** By the first byte of each part: the next part, the previous part, and the rank of merging with the next. */
  #next = new Int32Array(PIECE_BYTES);
  #before = new Int32Array(PIECE_BYTES);
  #rank = new Int32Array(PIECE_BYTES);

  constructor(ranks: TokenRanks) {
    this.#ranks = ranks;
  }

  /** The number of tokens of these bytes. */
  count(bytes: Uint8Array, start: number, end: number): number {
    if (this.#ranks.of(bytes, start, end) >= 0) return 1;
    const length = end - start;
    this.#begin(length);
    for (let at = 0; at < length - 1; at += 1) this.#rate(bytes, start, at, length);
    let parts = length;
    while (this.#heap.length > 0) {
      const key = pop(this.#heap);
      const at = key % POSITIONS;
      if (this.#rank[at] !== Math.floor(key / POSITIONS)) continue;
      this.#join(bytes, start, at, length);
      parts -= 1;
    }
    return parts;
  }

  /** Makes each byte a part. */
  #begin(length: number): void {
    if (this.#next.length < length + 1) {
      this.#next = new Int32Array(length * 2);
      this.#before = new Int32Array(length * 2);
      this.#rank = new Int32Array(length * 2);
    }
    for (let at = 0; at <= length; at += 1) {
      this.#next[at] = at + 1;
      this.#before[at] = at - 1;
      this.#rank[at] = NONE;
    }
  }

  #join(bytes: Uint8Array, start: number, at: number, length: number): void {
    const joined = this.#next[at] as number;
    const next = this.#next[joined] as number;
    this.#rank[joined] = NONE;
    this.#next[at] = next;
    this.#before[next] = at;
    this.#rate(bytes, start, at, length);
    if (at > 0) this.#rate(bytes, start, this.#before[at] as number, length);
  }

  /** Computes the rank of merging a part with the next. */
  #rate(bytes: Uint8Array, start: number, at: number, length: number): void {
    const next = this.#next[at] as number;
    const rank = next < length ? this.#ranks.of(bytes, start + at, start + (this.#next[next] as number)) : NONE;
    this.#rank[at] = rank;
    if (rank !== NONE) push(this.#heap, rank * POSITIONS + at);
  }
}

function push(heap: number[], key: number): void {
  let at = heap.length;
  while (at > 0) {
    const above = (at - 1) >> 1;
    if ((heap[above] as number) <= key) break;
    heap[at] = heap[above] as number;
    at = above;
  }
  heap[at] = key;
}

function pop(heap: number[]): number {
  const least = heap[0] as number;
  const last = heap.pop() as number;
  const length = heap.length;
  for (let at = 0; length > 0; ) {
    let below = 2 * at + 1;
    if (below + 1 < length && (heap[below + 1] as number) < (heap[below] as number)) below += 1;
    if (below >= length || (heap[below] as number) >= last) {
      heap[at] = last;
      break;
    }
    heap[at] = heap[below] as number;
    at = below;
  }
  return least;
}
