import { acquireLargeBuffer, releaseLargeBuffer } from './large-buffers.ts';
import { WIRE_LIMITS } from './limits.ts';

const LF = 0x0a;
const CR = 0x0d;
const ENDS_BYTES = WIRE_LIMITS.oversizedEndsBytes;
const LARGE_BYTES = WIRE_LIMITS.largeLineBytes;

/** The first and last bytes of a line that was too long; they may contain its id. */
export interface OversizedLine {
  readonly head: Buffer;
  readonly tail: Buffer;
}

export interface LineSplitterOptions {
  readonly lineBytesMax: number;
  readonly onLine: (line: Buffer) => void;
  /** A line exceeded the limit; `head` is its beginning. The rest is dropped. */
  readonly onTooLong?: (head: Buffer) => void;
  /** An oversized line has ended; it was dropped. */
  readonly onOversized: (line: OversizedLine) => void;
  /** A line exceeds even `endlessBytes`: stop waiting for its end. */
  readonly onEndless: () => void;
  readonly endlessBytes: number;
}

/**
 * Splits a stdio stream into lines. Of a line over the limit only the ends are kept, and reading continues after it, so an oversized
 * line costs no more memory than the limit.
 */
export class LineSplitter {
  readonly #options: LineSplitterOptions;
  #rest: Buffer[] = [];
  #restBytes = 0;
  /** A pooled buffer for a line that became large. */
  #room: Buffer | undefined;
  #oversized: OversizedLine | undefined;

  constructor(options: LineSplitterOptions) {
    this.#options = options;
  }

  /** Whether the current line is being dropped. */
  get isDropping(): boolean {
    return this.#oversized !== undefined;
  }

  /** Takes the next chunk. A line that is completely inside the chunk is passed on as a view of it; all other bytes are copied. */
  push(chunk: Buffer): void {
    let start = 0;
    for (;;) {
      const end = chunk.indexOf(LF, start);
      if (end < 0) break;
      if (this.#restBytes === 0 && end - start <= this.#options.lineBytesMax) this.#emit(chunk.subarray(start, end));
      else {
        this.#keep(chunk.subarray(start, end));
        this.#finish();
      }
      start = end + 1;
    }
    if (start < chunk.length) this.#keep(chunk.subarray(start));
  }

  #finish(): void {
    const oversized = this.#oversized;
    const line = oversized === undefined ? this.#joined() : undefined;
    this.#release();
    this.#restBytes = 0;
    this.#oversized = undefined;
    if (oversized !== undefined) this.#options.onOversized(oversized);
    else if (line !== undefined) this.#emit(line);
  }

  #joined(): Buffer {
    if (this.#room) return Buffer.from(this.#room.subarray(0, this.#restBytes));
    return this.#rest.length === 1 ? (this.#rest[0] as Buffer) : Buffer.concat(this.#rest);
  }

  #emit(line: Buffer): void {
    const end = line[line.length - 1] === CR ? line.length - 1 : line.length;
    if (end > 0) this.#options.onLine(line.subarray(0, end));
  }

  #keep(part: Buffer): void {
    const { lineBytesMax, endlessBytes } = this.#options;
    const before = this.#restBytes;
    this.#restBytes += part.length;
    if (this.#restBytes > lineBytesMax) {
      const isFirst = this.#oversized === undefined;
      const parts = this.#room ? [this.#room.subarray(0, before), part] : [...this.#rest, part];
      this.#oversized = (this.#oversized ? [part] : parts).reduce(withEnds, this.#oversized ?? NO_ENDS);
      this.#release();
      if (isFirst) this.#options.onTooLong?.(this.#oversized.head);
      if (before <= endlessBytes && this.#restBytes > endlessBytes) this.#options.onEndless();
    } else if (this.#room) part.copy(this.#room, before);
    else if (this.#restBytes > LARGE_BYTES) this.#enlarge(part, before);
    else this.#rest.push(Buffer.from(part));
  }

  #enlarge(part: Buffer, before: number): void {
    const room = acquireLargeBuffer(this.#options.lineBytesMax);
    let at = 0;
    for (const piece of this.#rest) at += piece.copy(room, at);
    part.copy(room, before);
    this.#rest = [];
    this.#room = room;
  }

  /** Frees the parts of the current line. */
  #release(): void {
    this.#rest = [];
    if (this.#room) releaseLargeBuffer(this.#room);
    this.#room = undefined;
  }
}

const NO_ENDS: OversizedLine = { head: Buffer.alloc(0), tail: Buffer.alloc(0) };

/** Adds a part to the ends of a line; copies, since views would retain the whole part. */
function withEnds({ head, tail }: OversizedLine, part: Buffer): OversizedLine {
  return {
    head: head.length < ENDS_BYTES ? Buffer.concat([head, part.subarray(0, ENDS_BYTES - head.length)]) : head,
    tail:
      part.length < ENDS_BYTES
        ? Buffer.from(Buffer.concat([tail, part]).subarray(-ENDS_BYTES))
        : Buffer.from(part.subarray(-ENDS_BYTES)),
  };
}
