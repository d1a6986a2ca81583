import type { Steps } from '../../../contract/steps.ts';

/** The low bits of a slot hold the rank, the others as many bits of the hash as fit. */
const RANK_BITS = 18;
const RANK_MASK = (1 << RANK_BITS) - 1;
const SLOTS = 1 << 19;
/** Lines to read before yielding. */
const LINES_AT_ONCE = 8_192;

const SPACE = 0x20;
const LINE_END = 0x0a;
const PADDING = 0x3d;
const DIGITS = valuesOfDigits();

/** The ranks of an encoding: each token is a byte string, and lower ranks are merged first. */
export class TokenRanks {
  /** The bytes of all tokens, concatenated, and the start of each. */
  readonly #bytes: Uint8Array;
  readonly #starts = new Uint32Array(1 << RANK_BITS);
  /** Open addressing: the rank plus one in the low bits, hash bits above. */
  readonly #slots = new Int32Array(SLOTS);

  private constructor(bytesMax: number) {
    this.#bytes = new Uint8Array(bytesMax);
  }

  /** Reads lines with a base64 token and its rank, which equals the line number; yields regularly. */
  static *read(file: Uint8Array): Steps<TokenRanks> {
    const ranks = new TokenRanks(file.length);
    for (let at = 0, rank = 0; at < file.length; ) {
      for (const pause = rank + LINES_AT_ONCE; rank < pause && at < file.length; rank += 1)
        at = ranks.#add(file, at, rank);
      yield;
    }
    return ranks;
  }

  /** The rank of a token, -1 if the bytes are not one. */
  of(bytes: Uint8Array, start: number, end: number): number {
    let hash = 0;
    for (let at = start; at < end; at += 1) hash = step(hash, bytes[at] as number);
    const mark = hash & ~RANK_MASK;
    for (let slot = slotOf(hash); ; slot = (slot + 1) & (SLOTS - 1)) {
      const entry = this.#slots[slot] as number;
      if (entry === 0) return -1;
      const rank = (entry & RANK_MASK) - 1;
      if ((entry & ~RANK_MASK) === mark && this.#isToken(rank, bytes, start, end)) return rank;
    }
  }

  #isToken(rank: number, bytes: Uint8Array, start: number, end: number): boolean {
    const first = this.#starts[rank] as number;
    const length = end - start;
    if ((this.#starts[rank + 1] as number) - first !== length) return false;
    for (let at = 0; at < length; at += 1) if (this.#bytes[first + at] !== bytes[start + at]) return false;
    return true;
  }

  /** Adds the token of a line; returns the start of the next line. */
  #add(file: Uint8Array, start: number, rank: number): number {
    let at = start;
    let length = this.#starts[rank] as number;
    let hash = 0;
    let bits = 0;
    let bitCount = 0;
    for (; file[at] !== SPACE; at += 1) {
      const digit = file[at] as number;
      if (digit === PADDING) continue;
      bits = (bits << 6) | (DIGITS[digit] as number);
      bitCount += 6;
      if (bitCount < 8) continue;
      bitCount -= 8;
      const byte = (bits >> bitCount) & 0xff;
      this.#bytes[length] = byte;
      length += 1;
      hash = step(hash, byte);
    }
    this.#starts[rank + 1] = length;
    let slot = slotOf(hash);
    while (this.#slots[slot] !== 0) slot = (slot + 1) & (SLOTS - 1);
    this.#slots[slot] = (hash & ~RANK_MASK) | (rank + 1);
    while (at < file.length && file[at] !== LINE_END) at += 1;
    return at + 1;
  }
}

function step(hash: number, byte: number): number {
  return Math.imul(hash ^ byte, 0x01000193);
}

function slotOf(hash: number): number {
  return (hash ^ (hash >>> 15)) & (SLOTS - 1);
}

function valuesOfDigits(): Uint8Array {
  const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
  const values = new Uint8Array(128);
  for (let value = 0; value < digits.length; value += 1) values[digits.charCodeAt(value)] = value;
  return values;
}
