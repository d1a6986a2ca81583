import { ByteParts } from '../contract/byte-parts.ts';
import { WIRE_LIMITS } from './limits.ts';

/** One dispatched event of an event stream. */
export interface SseEvent {
  /** `message` where the stream names none. */
  readonly type: string;
  /** The joined `data` lines, as they came. */
  readonly data: Uint8Array;
  /** The last event id of the stream at this event. */
  readonly id: string | undefined;
}

export interface SseParserOptions {
  readonly onEvent: (event: SseEvent) => void;
  /** The server asks to wait this long before reconnecting. */
  readonly onRetry?: (retryMs: number) => void;
  /** Data of one event at most; a line may be longer by the name of its field. */
  readonly eventBytesMax: number;
}

const LF = 0x0a;
const CR = 0x0d;
const COLON = 0x3a;
const SPACE = 0x20;

const NEWLINE = Buffer.from([LF]);
/** The longest name of a field that means something, its colon, a blank, and a byte order mark. */
const FIELD_BYTES_MAX = 'event: '.length + 3;

/** Thrown by `push` when an event grows over the limit. */
export class SseEventTooLarge extends Error {
  override readonly name = 'SseEventTooLarge';
}

/**
 * An incremental parser of `text/event-stream`: bytes in, events out, in chunks of any size. Data is not decoded.
 * An event with an id but no data (how servers prime resumption) is remembered as `lastEventId` and not dispatched.
 */
export class SseParser {
  /** For `Last-Event-ID`. */
  lastEventId: string | undefined;
  readonly #options: SseParserOptions;
  /** The beginning of a line that has not ended, and the data lines of an event that has not. */
  readonly #rest = new ByteParts();
  readonly #data = new ByteParts(NEWLINE);
  #restBytes = 0;
  #afterCr = false;
  #atStart = true;
  #type = '';
  #dataBytes = 0;

  constructor(options: SseParserOptions) {
    this.#options = options;
  }

  push(chunk: Uint8Array): void {
    const buffer = Buffer.isBuffer(chunk) ? chunk : Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    let start = 0;
    if (this.#afterCr && buffer.length > 0) {
      this.#afterCr = false;
      if (buffer[0] === LF) start = 1;
    }
    // Each is looked for again only behind the one that was found: a stream of either alone is not searched line by line for the other.
    let cr = buffer.indexOf(CR, start);
    let lf = buffer.indexOf(LF, start);
    while (start < buffer.length) {
      if (cr >= 0 && cr < start) cr = buffer.indexOf(CR, start);
      if (lf >= 0 && lf < start) lf = buffer.indexOf(LF, start);
      const end = cr >= 0 && (lf < 0 || cr < lf) ? cr : lf;
      if (end < 0) break;
      if (this.#restBytes > 0 || this.#atStart) this.#line(this.#takeLine(buffer.subarray(start, end)));
      else if (start === end) this.#dispatch();
      else if (isDataLine(buffer, start, end)) this.#addData(buffer.subarray(start + DATA.length, end));
      else this.#field(buffer.subarray(start, end));
      start = end + 1;
      if (end === cr) {
        if (start === buffer.length) this.#afterCr = true;
        else if (buffer[start] === LF) start++;
      }
    }
    if (start < buffer.length) this.#keep(buffer.subarray(start));
  }

  #keep(part: Buffer): void {
    this.#restBytes += part.length;
    if (this.#restBytes > this.#options.eventBytesMax + FIELD_BYTES_MAX)
      throw new SseEventTooLarge('A line of the event stream is too long');
    this.#rest.push(part);
  }

  #takeLine(part: Buffer): Buffer {
    if (this.#restBytes === 0) return part;
    this.#rest.push(part);
    this.#restBytes = 0;
    return this.#rest.take();
  }

  #line(raw: Buffer): void {
    const line = this.#atStart ? withoutByteOrderMark(raw) : raw;
    this.#atStart = false;
    if (line.length === 0) this.#dispatch();
    else this.#field(line);
  }

  #field(line: Buffer): void {
    const colon = line.indexOf(COLON);
    if (colon === 0) return;
    const field = line.toString('latin1', 0, colon < 0 ? line.length : colon);
    const valueStart = colon < 0 ? line.length : line[colon + 1] === SPACE ? colon + 2 : colon + 1;
    const value = line.subarray(valueStart);
    if (field === 'data') this.#addData(value);
    else if (field === 'event') this.#type = value.toString('utf8');
    else if (field === 'id' && !value.includes(0)) {
      // It goes into a header when the stream is taken up again: a longer one is as good as none.
      this.lastEventId = value.length > WIRE_LIMITS.eventIdBytesMax ? undefined : value.toString('utf8');
    } else if (field === 'retry' && /^\d{1,9}$/.test(value.toString('latin1'))) {
      this.#options.onRetry?.(Number(value.toString('latin1')));
    }
  }

  #addData(value: Buffer): void {
    this.#dataBytes += value.length + 1;
    if (this.#dataBytes > this.#options.eventBytesMax + 1)
      throw new SseEventTooLarge('An event of the stream is too large');
    this.#data.push(value);
  }

  #dispatch(): void {
    const type = this.#type === '' ? 'message' : this.#type;
    const data = this.#data.take();
    this.#dataBytes = 0;
    this.#type = '';
    if (data.length === 0) return;
    this.#options.onEvent({ type, data, id: this.lastEventId });
  }
}

/** Whether a line is data as nearly all write it: then nothing of it needs to be decoded. */
function isDataLine(buffer: Buffer, start: number, end: number): boolean {
  if (end - start < DATA.length) return false;
  for (let at = 0; at < DATA.length; at += 1) if (buffer[start + at] !== DATA[at]) return false;
  return true;
}

const DATA = Buffer.from('data: ');

function withoutByteOrderMark(line: Buffer): Buffer {
  return line[0] === 0xef && line[1] === 0xbb && line[2] === 0xbf ? line.subarray(3) : line;
}
