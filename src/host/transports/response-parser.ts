/** What a parser tells of one response. */
export interface ResponseEvents {
  onHead(status: number, headers: Record<string, string | string[]>): void;
  /** A part of the body, valid during the call only. */
  onBody(chunk: Buffer): void;
  /** The response is complete; its connection may carry another one. */
  onEnd(): void;
}

/** What came is not one HTTP response, or not one that two readers would understand alike. */
export class MalformedResponse extends Error {
  override readonly name = 'MalformedResponse';
}

const HEAD_BYTES_MAX = 64 * 1024;
const LINE_BYTES_MAX = 4 * 1024;
const HEAD_END = '\r\n\r\n';
const STATUS_LINE = /^HTTP\/1\.([01]) ([1-9]\d\d)(?: [\t\x20-\x7e\x80-\xff]*)?(?:\r\n|$)/;
const HEADER_LINES = /(?:[!#$%&'*+.^_`|~0-9A-Za-z-]+:[\t\x20-\x7e\x80-\xff]*(?:\r\n|$))*$/y;
const LENGTH = /^\d{1,15}$/;
const KEPT_FOR = /(?:^|[ ,])timeout=(\d{1,6})/i;
const CHUNK_LINE = /^([0-9A-Fa-f]{1,8})[ \t]*(?:;[\t\x20-\x7e\x80-\xff]*)?$/;

/** The parts of a chunked body: a size, its data, the line end after it; then trailers. */
type State = 'head' | 'length' | 'close' | 'chunk-size' | 'chunk-data' | 'chunk-end' | 'trailers' | 'done';

/**
 * Reads the responses of one HTTP/1.1 connection, one after another, from chunks of any size. It accepts what RFC 9112
 * calls valid and nothing that could be read in two ways: a length that is no number, two framings, folded lines.
 */
export class ResponseParser {
  #events: ResponseEvents | undefined;
  #state: State = 'done';
  #rest: Buffer | undefined;
  #left = 0;
  #trailerBytes = 0;
  /** Whether the connection may be used again, and for how long the server promises to keep it. */
  keepAlive = false;
  keepAliveMs: number | undefined;

  /** Begins to read the response to a request that was sent now. */
  begin(events: ResponseEvents): void {
    this.#events = events;
    this.#state = 'head';
    this.#rest = undefined;
  }

  /** Takes bytes as they come. Throws `MalformedResponse`; what the events throw passes. */
  push(bytes: Buffer): void {
    let chunk = this.#rest ? Buffer.concat([this.#rest, bytes]) : bytes;
    this.#rest = undefined;
    while (chunk.length > 0) {
      const taken = this.#take(chunk);
      if (taken === 0) {
        this.#rest = Buffer.from(chunk);
        return;
      }
      chunk = chunk.subarray(taken);
      if (this.#state === 'done') {
        // The next request may be sent within `onEnd`: what came before it cannot be its answer.
        if (chunk.length > 0) throw new MalformedResponse('bytes after the end of the response');
        this.#end();
        return;
      }
    }
  }

  /** The connection was closed: the end of a body that has no other. Gives whether the response is complete. */
  finish(): boolean {
    if (this.#state !== 'close') return false;
    this.#state = 'done';
    this.#end();
    return true;
  }

  /** Reads one part; gives how many bytes it had, 0 where more are needed. */
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
      case 'chunk-size':
      case 'chunk-end':
      case 'trailers':
        return this.#takeLine(chunk);
      case 'done':
        throw new MalformedResponse('bytes after the end of the response');
    }
  }

  #takeHead(chunk: Buffer): number {
    const end = chunk.indexOf(HEAD_END);
    if (end < 0 ? chunk.length > HEAD_BYTES_MAX : end > HEAD_BYTES_MAX) throw new MalformedResponse('a head too large');
    if (end < 0) return 0;
    const head = chunk.toString('latin1', 0, end);
    const statusLine = STATUS_LINE.exec(head);
    if (!statusLine) throw new MalformedResponse('no HTTP status line');
    const [whole, minor, code] = statusLine;
    const status = Number(code);
    const headers = readHeaders(head, whole.length);
    if (status === 101) throw new MalformedResponse('an upgrade that nobody asked for');
    if (status >= 200) this.#frame(status, headers, minor === '1');
    return end + HEAD_END.length;
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

  #takeLine(chunk: Buffer): number {
    const end = chunk.indexOf('\r\n');
    if (end < 0 ? chunk.length > LINE_BYTES_MAX : end > LINE_BYTES_MAX) throw new MalformedResponse('a line too long');
    if (end < 0) return 0;
    this.#line(chunk.toString('latin1', 0, end));
    return end + 2;
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
      this.#trailerBytes += line.length;
      if (this.#trailerBytes > HEAD_BYTES_MAX) throw new MalformedResponse('trailers too large');
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
  for (let at = start; at < head.length; ) {
    const colon = head.indexOf(':', at);
    const lineEnd = head.indexOf('\r\n', colon);
    const end = lineEnd < 0 ? head.length : lineEnd;
    const name = head.slice(at, colon).toLowerCase();
    const value = head.slice(colon + 1, end).trim();
    at = end + 2;
    const before = headers[name];
    if (before === undefined) headers[name] = value;
    else headers[name] = [...(Array.isArray(before) ? before : [before]), value];
  }
  return headers;
}

function saysClose(connection: string | string[] | undefined): boolean {
  if (connection === undefined || connection === 'keep-alive') return false;
  return String(connection)
    .toLowerCase()
    .split(/[ \t]*,[ \t]*/)
    .includes('close');
}

/** The length that a body says to have; the same number may stand there more than once. */
function bodyLength(header: string | string[] | undefined): number | undefined {
  if (header === undefined) return undefined;
  if (typeof header === 'string' && LENGTH.test(header)) return Number(header);
  const values = new Set((Array.isArray(header) ? header : [header]).flatMap((value) => value.split(/[ \t]*,[ \t]*/)));
  const [value = ''] = values;
  if (values.size !== 1 || !LENGTH.test(value)) throw new MalformedResponse('a bad Content-Length');
  return Number(value);
}
