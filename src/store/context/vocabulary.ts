const SLOTS_MIN = 1 << 12;
const HASH_PRIME = 0x01000193;

/** The hash of no bytes (FNV-1a, 32 bits). */
export const HASH_START = 0x811c9dc5 | 0;

/** Adds one byte to a hash. */
export function hashByte(hash: number, byte: number): number {
  return Math.imul(hash ^ byte, HASH_PRIME);
}

const BLANK = 0x20;

/**
 * Numbers words in order of first appearance. Words are looked up as bytes, in place: a table of strings would create one per word of each
 * document.
 */
export class Vocabulary {
  #slots = new Int32Array(SLOTS_MIN);
  #hashes = new Int32Array(SLOTS_MIN);
  #starts = new Uint32Array(SLOTS_MIN);
  /** The words, a blank after each. */
  #bytes = Buffer.alloc(SLOTS_MIN * 8);
  #count = 0;
  #length = 0;

  get count(): number {
    return this.#count;
  }

  text(number: number): string {
    return this.#bytes.toString('utf8', this.#starts[number], (this.#starts[number + 1] as number) - 1);
  }

  bytesOf(number: number): number {
    return (this.#starts[number + 1] as number) - (this.#starts[number] as number) - 1;
  }

  /** The words from this number on as one text, a blank after each. */
  textFrom(number: number): string {
    return this.#bytes.toString('utf8', this.#starts[number], this.#length);
  }

  /** The number of the word in a byte range, with its hash; a new word gets the next number. */
  numberOf(bytes: Uint8Array, start: number, end: number, hash: number): number {
    const mask = this.#slots.length - 1;
    for (let slot = (hash ^ (hash >>> 15)) & mask; ; slot = (slot + 1) & mask) {
      const number = (this.#slots[slot] as number) - 1;
      if (number < 0) return this.#add(bytes, start, end, hash, slot);
      if (this.#hashes[number] === hash && this.#equals(number, bytes, start, end)) return number;
    }
  }

  #equals(number: number, bytes: Uint8Array, start: number, end: number): boolean {
    const own = this.#starts[number] as number;
    if ((this.#starts[number + 1] as number) - own - 1 !== end - start) return false;
    for (let place = start; place < end; place++) {
      if (this.#bytes[own + place - start] !== bytes[place]) return false;
    }
    return true;
  }

  #add(bytes: Uint8Array, start: number, end: number, hash: number, slot: number): number {
    const number = this.#count++;
    this.#slots[slot] = number + 1;
    this.#hashes[number] = hash;
    while (this.#length + end - start + 1 > this.#bytes.length)
      this.#bytes = Buffer.concat([this.#bytes], this.#bytes.length * 2);
    this.#bytes.set(bytes.subarray(start, end), this.#length);
    this.#length += end - start;
    this.#bytes[this.#length++] = BLANK;
    this.#starts[number + 1] = this.#length;
    if (this.#count * 2 > this.#slots.length) this.#grow();
    return number;
  }

  #grow(): void {
    const size = this.#slots.length * 4;
    const hashes = new Int32Array(size);
    const starts = new Uint32Array(size);
    hashes.set(this.#hashes);
    starts.set(this.#starts);
    this.#hashes = hashes;
    this.#starts = starts;
    this.#slots = new Int32Array(size);
    const mask = size - 1;
    for (let number = 0; number < this.#count; number++) {
      const hash = hashes[number] as number;
      let slot = (hash ^ (hash >>> 15)) & mask;
      while (this.#slots[slot] !== 0) slot = (slot + 1) & mask;
      this.#slots[slot] = number + 1;
    }
  }
}
