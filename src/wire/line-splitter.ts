import { acquireLargeBuffer, releaseLargeBuffer } from './large-buffers.ts';
import { WIRE_LIMITS } from './limits.ts';

const LF = 0x0a;
const CR = 0x0d;
const ENDS_BYTES = WIRE_LIMITS.oversizedEndsBytes;
const LARGE_BYTES = WIRE_LIMITS.largeLineBytes;

/** What is left of a line that was too long: its ends, which may tell whose it was. */
export interface OversizedLine {
  readonly head: Buffer;
  readonly tail: Buffer;
}

export interface LineSplitterOptions {
  readonly lineBytesMax: number;
  readonly onLine: (line: Buffer) => void;
  /** A line went over the limit: what it begins with. The rest of it is dropped. */
  readonly onTooLong?: (head: Buffer) => void;
  /** A line over the limit has ended; it was not kept. */
  readonly onOversized: (line: OversizedLine) => void;
  /** A line goes on for so long that nobody waits for its end. */
  readonly onEndless: () => void;
  readonly endlessBytes: number;
}

/**
 * The framing of stdio: bytes in, lines out. A line over the limit is dropped but for its ends; what follows it is read
 * again, so a large answer costs no more memory than the limit.
 */
export class LineSplitter {
  readonly #options: LineSplitterOptions;
  #rest: Buffer[] = [];
  #restBytes = 0;
  /** Where a line goes that became large; it is lent. */
  #room: Buffer | undefined;
  #oversized: OversizedLine | undefined;

  constructor(options: LineSplitterOptions) {
    this.#options = options;
  }

  /** Whether what comes next belongs to a line that is not kept. */
  get isDropping(): boolean {
    return this.#oversized !== undefined;
  }

  /** Takes bytes as they come. The chunk may be used again afterwards; a line that lay whole within it is a view of it. */
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
    this.#leave();
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
      this.#leave();
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

  /** Everything of the line is elsewhere now, or is not kept. */
  #leave(): void {
    this.#rest = [];
    if (this.#room) releaseLargeBuffer(this.#room);
    this.#room = undefined;
  }
}

const NO_ENDS: OversizedLine = { head: Buffer.alloc(0), tail: Buffer.alloc(0) };

/** The ends of a line that goes on with this part; copies, since views would keep all of it. */
function withEnds({ head, tail }: OversizedLine, part: Buffer): OversizedLine {
  return {
    head: head.length < ENDS_BYTES ? Buffer.concat([head, part.subarray(0, ENDS_BYTES - head.length)]) : head,
    tail:
      part.length < ENDS_BYTES
        ? Buffer.from(Buffer.concat([tail, part]).subarray(-ENDS_BYTES))
        : Buffer.from(part.subarray(-ENDS_BYTES)),
  };
}
