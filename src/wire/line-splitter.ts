import { WIRE_LIMITS } from './limits.ts';

const LF = 0x0a;
const CR = 0x0d;
const ENDS_BYTES = WIRE_LIMITS.oversizedEndsBytes;

/** What is left of a line that was too long: its ends, which may tell whose it was. */
export interface OversizedLine {
  readonly head: Buffer;
  readonly tail: Buffer;
}

export interface LineSplitterOptions {
  readonly lineBytesMax: number;
  readonly onLine: (line: Buffer) => void;
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
  #oversized: { head: Buffer; tail: Buffer } | undefined;

  constructor(options: LineSplitterOptions) {
    this.#options = options;
  }

  push(chunk: Buffer): void {
    let start = 0;
    for (;;) {
      const end = chunk.indexOf(LF, start);
      if (end < 0) break;
      this.#keep(chunk.subarray(start, end));
      this.#finish();
      start = end + 1;
    }
    if (start < chunk.length) this.#keep(chunk.subarray(start));
  }

  #finish(): void {
    const oversized = this.#oversized;
    const line = this.#rest.length === 1 ? (this.#rest[0] as Buffer) : Buffer.concat(this.#rest);
    this.#rest = [];
    this.#restBytes = 0;
    this.#oversized = undefined;
    if (oversized !== undefined) {
      this.#options.onOversized(oversized);
      return;
    }
    const end = line[line.length - 1] === CR ? line.length - 1 : line.length;
    if (end > 0) this.#options.onLine(line.subarray(0, end));
  }

  #keep(part: Buffer): void {
    const before = this.#restBytes;
    this.#restBytes += part.length;
    if (this.#restBytes <= this.#options.lineBytesMax) {
      this.#rest.push(part);
      return;
    }
    const kept = this.#oversized === undefined ? Buffer.concat([...this.#rest, part]) : part;
    this.#rest = [];
    this.#oversized = {
      head: firstBytes(this.#oversized?.head, kept),
      tail: lastBytes(this.#oversized?.tail, kept),
    };
    const { endlessBytes } = this.#options;
    if (before <= endlessBytes && this.#restBytes > endlessBytes) this.#options.onEndless();
  }
}

function firstBytes(before: Buffer | undefined, part: Buffer): Buffer {
  if (before !== undefined && before.length >= ENDS_BYTES) return before;
  const all = before === undefined ? part : Buffer.concat([before, part]);
  return Buffer.from(all.subarray(0, ENDS_BYTES));
}

function lastBytes(before: Buffer | undefined, part: Buffer): Buffer {
  const all = before === undefined || part.length >= ENDS_BYTES ? part : Buffer.concat([before, part]);
  // A copy: a view would keep the whole chunk.
  return Buffer.from(all.subarray(Math.max(0, all.length - ENDS_BYTES)));
}
