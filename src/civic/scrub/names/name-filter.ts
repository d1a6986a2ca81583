/** Bits per name. */
const HASHES = 6;

/** The bits of a name in a filter of `bits` bits, by double hashing. */
export function filterPositions(name: string, bits: number): number[] {
  const { first, step } = hashes(name);
  return Array.from({ length: HASHES }, (_, n) => (first + n * step) % bits);
}

function hashes(name: string): { first: number; step: number } {
  let first = 0x811c9dc5;
  let second = 5381;
  for (let at = 0; at < name.length; at++) {
    const unit = name.charCodeAt(at);
    first = Math.imul(first ^ unit, 0x01000193) >>> 0;
    second = (Math.imul(second, 33) + unit) >>> 0;
  }
  return { first, step: (second | 1) >>> 0 };
}

/** A Bloom filter of names: no false negatives, about one false positive in a hundred. */
export class NameFilter {
  readonly #bytes: Uint8Array;

  constructor(base64: string) {
    this.#bytes = Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
  }

  has(name: string): boolean {
    const bytes = this.#bytes;
    const { first, step } = hashes(name);
    for (let n = 0; n < HASHES; n++) {
      const at = (first + n * step) % (bytes.length * 8);
      if (((bytes[at >> 3] as number) & (1 << (at & 7))) === 0) return false;
    }
    return true;
  }
}
