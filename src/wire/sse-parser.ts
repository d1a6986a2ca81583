import { ByteParts } from '../contract/byte-parts.ts';
import { WIRE_LIMITS } from './limits.ts';

/** One dispatched event of an event stream. */
export interface SseEvent {
  /** `message` if the stream names no type. */
  readonly type: string;
  /** The joined `data` lines, undecoded. */
  readonly data: Uint8Array;
  /** The last event id of the stream at this event. */
  readonly id: string | undefined;
}

export interface SseParserOptions {
  readonly onEvent: (event: SseEvent) => void;
  /** The server's requested delay before a reconnect. */
  readonly onRetry?: (retryMs: number) => void;
  /** Maximum data of one event; a line may be longer by its field name. */
  readonly eventBytesMax: number;
}

const LF = 0x0a;
const CR = 0x0d;
const COLON = 0x3a;
const SPACE = 0x20;

const NEWLINE = Buffer.from([LF]);
/** The longest relevant field name, its colon, a space, and a byte order mark. */
const FIELD_BYTES_MAX = 'event: '.length + 3;

/** Thrown by `push` when an event exceeds the limit. */
export class SseEventTooLarge extends Error {
  override readonly name = 'SseEventTooLarge';
}

/**
 * An incremental parser of `text/event-stream`: takes chunks of any size, emits events. Data is not decoded. An event with an id but
 * no data (servers prime resumption this way) only sets `lastEventId`.
 */
export class SseParser {
  lastEventId: string | undefined;
  readonly #options: SseParserOptions;
  /** The beginning of an unfinished line, and the data lines of an unfinished event. */
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
    // Search for CR and LF separately, each only after its last match, so a stream with only one of them is not searched again per line.
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
      // The id is sent in a header on resumption: a longer one is dropped.
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

/** Whether a line is data in the usual form, which needs no decoding. */
function isDataLine(buffer: Buffer, start: number, end: number): boolean {
  if (end - start < DATA.length) return false;
  for (let at = 0; at < DATA.length; at += 1) if (buffer[start + at] !== DATA[at]) return false;
  return true;
}

const DATA = Buffer.from('data: ');

function withoutByteOrderMark(line: Buffer): Buffer {
  return line[0] === 0xef && line[1] === 0xbb && line[2] === 0xbf ? line.subarray(3) : line;
}
