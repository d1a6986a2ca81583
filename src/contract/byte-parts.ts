const NOTHING = Buffer.alloc(0);
const APART_MAX = 256;

/**
 * Collects bytes that arrive in parts. It joins small parts as they arrive: a buffer object takes some hundred bytes, and a sender
 * can send a byte at a time. Each byte is copied twice at most.
 */
export class ByteParts {
  readonly #separator: Uint8Array;
  #parts: Uint8Array[] = [];
  /** How many of the parts are joined ones. */
  #joined = 0;

  /** The separator is put between the parts. */
  constructor(separator: Uint8Array = NOTHING) {
    this.#separator = separator;
  }

  push(part: Uint8Array): void {
    this.#parts.push(part);
    if (this.#parts.length - this.#joined < APART_MAX) return;
    const apart = this.#parts.splice(this.#joined);
    this.#joined = this.#parts.push(this.#join(apart));
  }

  /** How many buffers are kept. */
  get kept(): number {
    return this.#parts.length;
  }

  /** Returns all bytes and empties the collection. A single part is returned without a copy. */
  take(): Buffer {
    const parts = this.#parts;
    if (parts.length === 0) return NOTHING;
    this.#parts = [];
    this.#joined = 0;
    return parts.length === 1 ? asBuffer(parts[0] as Uint8Array) : this.#join(parts);
  }

  #join(parts: readonly Uint8Array[]): Buffer {
    const separator = this.#separator;
    if (separator.length === 0) return Buffer.concat(parts);
    return Buffer.concat(parts.flatMap((part, index) => (index === 0 ? [part] : [separator, part])));
  }
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
