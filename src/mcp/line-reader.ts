const NEWLINE = 0x0a;

/** Cuts bytes into lines of UTF-8 text. A line that is too long or not UTF-8 is reported as undefined, and never held whole. */
export class LineReader {
  readonly #bytesMax: number;
  readonly #onLine: (line: string | undefined) => void;
  readonly #decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  #pieces: Uint8Array[] = [];
  #length = 0;
  #isTooLong = false;

  /** `bytesMax` counts the newline. */
  constructor(bytesMax: number, onLine: (line: string | undefined) => void) {
    this.#bytesMax = bytesMax;
    this.#onLine = onLine;
  }

  push(chunk: Uint8Array): void {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      this.#keep(chunk.subarray(start, end));
      this.#finish();
      start = end + 1;
    }
    this.#keep(chunk.subarray(start));
  }

  /** The last line may lack its newline. */
  end(): void {
    if (this.#length > 0 || this.#isTooLong) this.#finish();
  }

  #keep(piece: Uint8Array): void {
    if (piece.length === 0) return;
    this.#length += piece.length;
    if (this.#length + 1 > this.#bytesMax) {
      this.#isTooLong = true;
      this.#pieces = [];
    } else this.#pieces.push(piece);
  }

  #finish(): void {
    const line = this.#isTooLong ? undefined : this.#decode();
    this.#pieces = [];
    this.#length = 0;
    this.#isTooLong = false;
    this.#onLine(line);
  }

  #decode(): string | undefined {
    try {
      return this.#decoder.decode(Buffer.concat(this.#pieces));
    } catch {
      return undefined;
    }
  }
}
