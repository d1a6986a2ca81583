const LF = 0x0a;
const CR = 0x0d;

/**
 * The framing of stdio: bytes in, lines out. A line over the limit is dropped as a whole and reported once; what follows it
 * is read again, so a flood costs no more memory than the limit.
 */
export class LineSplitter {
  readonly #onLine: (line: Buffer) => void;
  readonly #onTooLong: () => void;
  readonly #lineBytesMax: number;
  #rest: Buffer[] = [];
  #restBytes = 0;
  #skipping = false;

  constructor(lineBytesMax: number, onLine: (line: Buffer) => void, onTooLong: () => void) {
    this.#lineBytesMax = lineBytesMax;
    this.#onLine = onLine;
    this.#onTooLong = onTooLong;
  }

  push(chunk: Buffer): void {
    let start = 0;
    for (;;) {
      const end = chunk.indexOf(LF, start);
      if (end < 0) break;
      this.#finish(chunk.subarray(start, end));
      start = end + 1;
    }
    if (start < chunk.length) this.#keep(chunk.subarray(start));
  }

  #finish(part: Buffer): void {
    this.#keep(part);
    const skipped = this.#skipping;
    const line = this.#rest.length === 1 ? (this.#rest[0] as Buffer) : Buffer.concat(this.#rest);
    this.#rest = [];
    this.#restBytes = 0;
    this.#skipping = false;
    if (skipped) return;
    const end = line[line.length - 1] === CR ? line.length - 1 : line.length;
    if (end > 0) this.#onLine(line.subarray(0, end));
  }

  #keep(part: Buffer): void {
    if (this.#skipping) return;
    this.#restBytes += part.length;
    if (this.#restBytes > this.#lineBytesMax) {
      this.#skipping = true;
      this.#rest = [];
      this.#onTooLong();
      return;
    }
    this.#rest.push(part);
  }
}
