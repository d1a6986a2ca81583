import { LongLineId } from '../contract/long-line-id.ts';

const NEWLINE = 0x0a;

/** An unreadable line: too long (then it is never held completely), or not UTF-8. Its id is null if it has none. */
export interface UnreadLine {
  readonly id: string | number | null;
}

/** Splits bytes into lines of UTF-8 text. */
export class LineReader {
  readonly #bytesMax: number;
  readonly #onLine: (line: string | UnreadLine) => void;
  readonly #decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  #pieces: Uint8Array[] = [];
  #length = 0;
  /** Searches the rest of an oversized line for its id. */
  #tooLong: LongLineId | undefined;

  /** `bytesMax` counts the newline. */
  constructor(bytesMax: number, onLine: (line: string | UnreadLine) => void) {
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
    if (this.#length > 0 || this.#tooLong) this.#finish();
  }

  #keep(piece: Uint8Array): void {
    if (piece.length === 0) return;
    this.#length += piece.length;
    if (this.#length + 1 > this.#bytesMax) {
      this.#tooLong ??= idScan(this.#pieces);
      this.#tooLong.push(piece);
      this.#pieces = [];
    } else this.#pieces.push(piece);
  }

  #finish(): void {
    const line = this.#tooLong ? { id: this.#tooLong.id } : this.#decode();
    this.#pieces = [];
    this.#length = 0;
    this.#tooLong = undefined;
    this.#onLine(line);
  }

  #decode(): string | UnreadLine {
    try {
      return this.#decoder.decode(Buffer.concat(this.#pieces));
    } catch {
      return { id: null };
    }
  }
}

function idScan(pieces: readonly Uint8Array[]): LongLineId {
  const scan = new LongLineId();
  for (const piece of pieces) scan.push(piece);
  return scan;
}
