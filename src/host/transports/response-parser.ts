import { CONNECTION_LIMITS as LIMITS } from '../connection/limits.ts';

/** The parts of one response, as the parser finds them. */
export interface ResponseEvents {
  onHead(status: number, headers: Record<string, string | string[]>): void;
  /** A part of the body, valid only during the call. */
  onBody(chunk: Buffer): void;
  /** The response is complete; its connection may carry another one. */
  onEnd(): void;
}

/** The bytes are not one HTTP response, or two parsers could read them differently. */
export class MalformedResponse extends Error {
  override readonly name = 'MalformedResponse';
}

const HEAD_END = '\r\n\r\n';
const LINE_END = '\r\n';
const STATUS_LINE = /^HTTP\/1\.([01]) ([1-9]\d\d)(?: [\t\x20-\x7e\x80-\xff]*)?(?:\r\n|$)/;
const HEADER_LINES = /(?:[!#$%&'*+.^_`|~0-9A-Za-z-]+:[\t\x20-\x7e\x80-\xff]*(?:\r\n|$))*$/y;
const HEADER_LINE = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+:[\t\x20-\x7e\x80-\xff]*$/;
const [TAB, LF, CR, SPACE] = [0x09, 0x0a, 0x0d, 0x20];
const LENGTH = /^\d{1,15}$/;
const KEPT_FOR = /(?:^|[ ,])timeout=(\d{1,6})/i;
const CHUNK_LINE = /^([0-9A-Fa-f]{1,8})[ \t]*(?:;[\t\x20-\x7e\x80-\xff]*)?$/;

/** A chunked body repeats size, data and line end, followed by trailers. */
type State = 'head' | 'length' | 'close' | 'chunk-size' | 'chunk-data' | 'chunk-end' | 'trailers' | 'done';

/**
 * Parses the responses of one HTTP/1.1 connection from chunks of any size. Accepts what RFC 9112 calls valid, and rejects whatever is
 * ambiguous: a length that is not a number, two framings, folded lines. Examines each byte a fixed number of times. The size limits of
 * heads, lines and trailers are Node's.
 */
export class ResponseParser {
  #events: ResponseEvents | undefined;
  #state: State = 'done';
  /** An incomplete head or line. */
  #kept: Buffer | undefined;
  #keptBytes = 0;
  #left = 0;
  /** Bytes of heads and of trailers so far. */
  #headBytes = 0;
  #interimHeads = 0;
  #trailerBytes = 0;
  #trailerFields = 0;
  /** Whether the connection may be reused, and how long the server promises to keep it open. */
  keepAlive = false;
  keepAliveMs: number | undefined;

  /** Starts parsing the response to a request that is being sent. */
  begin(events: ResponseEvents): void {
    this.#events = events;
    this.#state = 'head';
    this.#keptBytes = 0;
    this.#kept = undefined;
    this.#headBytes = 0;
    this.#interimHeads = 0;
  }

  /** Parses bytes. Throws `MalformedResponse`, or the error that an event handler throws. */
  push(bytes: Buffer): void {
    let chunk = bytes;
    while (chunk.length > 0) {
      const taken = this.#take(chunk);
      if (taken === chunk.length && this.#state !== 'done') return;
      chunk = chunk.subarray(taken);
      if (this.#state === 'done') {
        // `onEnd` may send the next request: bytes that arrived before it cannot be its answer.
        if (chunk.length > 0) throw new MalformedResponse('bytes after the end of the response');
        this.#end();
        return;
      }
    }
  }

  /** The connection was closed, which ends a body without a length. Returns whether the response is complete. */
  finish(): boolean {
    if (this.#state !== 'close') return false;
    this.#state = 'done';
    this.#end();
    return true;
  }

  /** Parses one part of the response, or a piece of it; returns the number of bytes consumed. */
  #take(chunk: Buffer): number {
    switch (this.#state) {
      case 'head':
        return this.#takeHead(chunk);
      case 'length':
        return this.#takeBody(chunk, 'done');
      case 'chunk-data':
        return this.#takeBody(chunk, 'chunk-end');
      case 'close':
        this.#events?.onBody(chunk);
        return chunk.length;
      case 'chunk-end':
        if (this.#keptBytes === 0 && chunk[0] === CR && chunk[1] === LF) {
          this.#state = 'chunk-size';
          return 2;
        }
        return this.#takeLine(chunk);
      case 'chunk-size':
      case 'trailers':
        return this.#takeLine(chunk);
      case 'done':
        throw new MalformedResponse('bytes after the end of the response');
    }
  }

  #takeHead(chunk: Buffer): number {
    const bytesMax = LIMITS.headBytesMax - this.#headBytes;
    return this.#takeUntil(chunk, HEAD_END, bytesMax, 'a head too large', (head) => {
      this.#headBytes += head.length;
      this.#head(head);
    });
  }

  #takeLine(chunk: Buffer): number {
    return this.#takeUntil(chunk, LINE_END, LIMITS.chunkLineBytesMax, 'a line too long', (line) => this.#line(line));
  }

  /**
   * Collects bytes up to a mark and passes them on without it. Keeps an incomplete piece, and searches only the new bytes for the mark,
   * so that tiny chunks cause no repeated work.
   */
  #takeUntil(chunk: Buffer, mark: string, bytesMax: number, tooLarge: string, use: (text: string) => void): number {
    const before = this.#keptBytes;
    if (before === 0) {
      const end = chunk.indexOf(mark, 0, 'latin1');
      if (end > bytesMax) throw new MalformedResponse(tooLarge);
      if (end >= 0) {
        use(chunk.toString('latin1', 0, end));
        return end + mark.length;
      }
    }
    const room = bytesMax + mark.length;
    this.#kept ??= Buffer.allocUnsafe(room);
    const copied = chunk.copy(this.#kept, before, 0, Math.min(chunk.length, room - before));
    const after = before + copied;
    const end = this.#kept.subarray(0, after).indexOf(mark, Math.max(0, before - mark.length + 1), 'latin1');
    if (end < 0) {
      if (after === room) throw new MalformedResponse(tooLarge);
      this.#keptBytes = after;
      return copied;
    }
    const text = this.#kept.toString('latin1', 0, end);
    this.#kept = undefined;
    this.#keptBytes = 0;
    use(text);
    return end + mark.length - before;
  }

  #head(head: string): void {
    const statusLine = STATUS_LINE.exec(head);
    if (!statusLine) throw new MalformedResponse('no HTTP status line');
    const [whole, minor, code] = statusLine;
    const status = Number(code);
    const headers = readHeaders(head, whole.length);
    if (status === 101) throw new MalformedResponse('an upgrade that nobody asked for');
    if (status >= 200) this.#frame(status, headers, minor === '1');
    else {
      this.#interimHeads += 1;
      if (this.#interimHeads > LIMITS.interimHeadsMax) throw new MalformedResponse('too many interim responses');
    }
  }

  #frame(status: number, headers: Record<string, string | string[]>, isNew: boolean): void {
    const coding = headers['transfer-encoding'];
    const length = bodyLength(headers['content-length']);
    if (coding !== undefined && (length !== undefined || !isNew || String(coding).toLowerCase() !== 'chunked')) {
      throw new MalformedResponse('a framing that is not clear');
    }
    const hasBody = status !== 204 && status !== 304;
    this.keepAlive = isNew && !saysClose(headers.connection);
    const kept = headers['keep-alive'];
    const promised = kept === undefined ? undefined : KEPT_FOR.exec(String(kept))?.[1];
    this.keepAliveMs = promised === undefined ? undefined : Number(promised) * 1_000;
    this.#left = length ?? 0;
    this.#trailerBytes = 0;
    this.#trailerFields = 0;
    if (!hasBody || length === 0) this.#state = 'done';
    else this.#state = coding !== undefined ? 'chunk-size' : length === undefined ? 'close' : 'length';
    this.keepAlive &&= this.#state !== 'close';
    this.#events?.onHead(status, headers);
  }

  #takeBody(chunk: Buffer, next: 'done' | 'chunk-end'): number {
    const part = chunk.length <= this.#left ? chunk : chunk.subarray(0, this.#left);
    this.#left -= part.length;
    if (this.#left === 0) this.#state = next;
    this.#events?.onBody(part);
    return part.length;
  }

  #line(line: string): void {
    if (this.#state === 'chunk-end') {
      if (line !== '') throw new MalformedResponse('a chunk that is longer than it says');
      this.#state = 'chunk-size';
    } else if (this.#state === 'chunk-size') {
      const size = CHUNK_LINE.exec(line)?.[1];
      if (size === undefined) throw new MalformedResponse('a chunk without a size');
      this.#left = Number.parseInt(size, 16);
      this.#state = this.#left === 0 ? 'trailers' : 'chunk-data';
    } else if (line === '') this.#state = 'done';
    else {
      if (!HEADER_LINE.test(line)) throw new MalformedResponse('a bad trailer line');
      this.#trailerBytes += line.length;
      this.#trailerFields += 1;
      if (this.#trailerBytes > LIMITS.headBytesMax || this.#trailerFields > LIMITS.headFieldsMax)
        throw new MalformedResponse('trailers too large');
    }
  }

  #end(): void {
    const events = this.#events;
    this.#events = undefined;
    events?.onEnd();
  }
}

function readHeaders(head: string, start: number): Record<string, string | string[]> {
  const headers: Record<string, string | string[]> = Object.create(null);
  HEADER_LINES.lastIndex = start;
  if (!HEADER_LINES.test(head)) throw new MalformedResponse('a bad header line');
  let fields = 0;
  for (let at = start; at < head.length; ) {
    fields += 1;
    if (fields > LIMITS.headFieldsMax) throw new MalformedResponse('too many header fields');
    const colon = head.indexOf(':', at);
    const lineEnd = head.indexOf(LINE_END, colon);
    const end = lineEnd < 0 ? head.length : lineEnd;
    const name = head.slice(at, colon).toLowerCase();
    const value = withoutBlanks(head, colon + 1, end);
    at = end + LINE_END.length;
    const before = headers[name];
    if (before === undefined) headers[name] = value;
    else if (typeof before === 'string') headers[name] = [before, value];
    else before.push(value);
  }
  return headers;
}

/** Trims spaces and tabs only; `trim` would remove more. */
function withoutBlanks(head: string, start: number, end: number): string {
  let [from, to] = [start, end];
  while (from < to && isBlank(head.charCodeAt(from))) from += 1;
  while (to > from && isBlank(head.charCodeAt(to - 1))) to -= 1;
  return head.slice(from, to);
}

function isBlank(code: number): boolean {
  return code === SPACE || code === TAB;
}

/** The items of a list such as `close, keep-alive`. */
function listItems(header: string | string[]): string[] {
  return String(header)
    .split(',')
    .map((item) => withoutBlanks(item, 0, item.length));
}

function saysClose(connection: string | string[] | undefined): boolean {
  if (connection === undefined || connection === 'keep-alive') return false;
  return listItems(connection).some((item) => item.toLowerCase() === 'close');
}

/** The Content-Length; it may be repeated if all values are equal. */
function bodyLength(header: string | string[] | undefined): number | undefined {
  if (header === undefined) return undefined;
  if (typeof header === 'string' && LENGTH.test(header)) return Number(header);
  const values = new Set(listItems(header));
  const [value = ''] = values;
  if (values.size !== 1 || !LENGTH.test(value)) throw new MalformedResponse('a bad Content-Length');
  return Number(value);
}
