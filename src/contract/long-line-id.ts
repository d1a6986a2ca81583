const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const COMMA = 0x2c;
const ID_BYTES_MAX = 1024;

/**
 * Finds the member `id` of a JSON object whose bytes arrive in pieces and are not stored: the sender of a line that is too long waits
 * for an answer with that id. Members of inner objects, and texts that look like it, do not count.
 */
export class LongLineId {
  #depth = 0;
  #inText = false;
  #isEscaped = false;
  #isKey = false;
  /** The text or number that is being read at the outermost level; undefined if it is not needed, or is too long. */
  #value: number[] | undefined;
  #key = '';
  #id: string | number | undefined;

  /** The id, if it has arrived; otherwise null. */
  get id(): string | number | null {
    return this.#id ?? null;
  }

  push(bytes: Uint8Array): void {
    for (const byte of bytes) this.#take(byte);
  }

  #take(byte: number): void {
    if (this.#inText) this.#inside(byte);
    else if (byte === QUOTE) this.#beginText();
    else if (byte === 0x7b || byte === 0x5b) this.#enter();
    else if (byte === 0x7d || byte === 0x5d) this.#leave();
    else if (this.#depth === 1) this.#between(byte);
  }

  #inside(byte: number): void {
    this.#keep(byte);
    if (this.#isEscaped) this.#isEscaped = false;
    else if (byte === BACKSLASH) this.#isEscaped = true;
    else if (byte === QUOTE) {
      this.#inText = false;
      if (this.#depth === 1 && this.#isKey) {
        this.#key = String(this.#read() ?? '');
        this.#value = undefined;
      }
    }
  }

  #beginText(): void {
    this.#inText = true;
    if (this.#depth === 1 && (this.#isKey || this.#key === 'id')) this.#value = [QUOTE];
  }

  #enter(): void {
    this.#depth += 1;
    this.#value = undefined;
    if (this.#depth === 1) this.#isKey = true;
  }

  #leave(): void {
    if (this.#depth === 1) this.#settle();
    this.#depth -= 1;
  }

  #between(byte: number): void {
    if (byte === COLON) {
      this.#isKey = false;
      this.#value = this.#key === 'id' ? [] : undefined;
    } else if (byte === COMMA) {
      this.#settle();
      this.#isKey = true;
    } else if (byte > 0x20) this.#keep(byte);
  }

  #keep(byte: number): void {
    if (this.#depth !== 1 || !this.#value) return;
    this.#value.push(byte);
    if (this.#value.length > ID_BYTES_MAX) this.#value = undefined;
  }

  /** A member has ended. */
  #settle(): void {
    const value = this.#key === 'id' ? this.#read() : undefined;
    if (typeof value === 'string' || typeof value === 'number') this.#id = value;
    this.#key = '';
    this.#value = undefined;
  }

  #read(): unknown {
    if (!this.#value) return undefined;
    try {
      return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(Uint8Array.from(this.#value)));
    } catch {
      // Not JSON, so not an id.
      return undefined;
    }
  }
}
