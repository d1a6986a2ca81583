import { STATUS_CODES, validateHeaderName, validateHeaderValue } from 'node:http';
import type { Socket } from 'node:net';
import type { EdgeResponse } from '../http/edge-exchange.ts';

/** The connection of a plain response. */
export interface PlainPlace {
  readonly socket: Socket;
  /** The last header fields: whether the connection stays open, and for how long. */
  connectionFields(): string;
  /** The response has ended; the connection is free for the next request. */
  onEnded(): void;
}

/** A response on a bare socket, byte for byte as Node's own would be. */
export class PlainResponse implements EdgeResponse {
  headersSent = false;
  writableEnded = false;
  readonly #place: PlainPlace;
  #status = 200;
  #fields = '';
  #hasLength = false;
  #isChunked = false;
  #closeListeners: (() => void)[] | undefined;

  constructor(place: PlainPlace) {
    this.#place = place;
  }

  get destroyed(): boolean {
    return this.#place.socket.destroyed;
  }

  get req(): { readonly socket: Socket } {
    return this.#place;
  }

  get writableLength(): number {
    return this.#place.socket.writableLength;
  }

  setHeader(name: string, value: string): this {
    this.#fields += field(name, value);
    return this;
  }

  writeHead(status: number, headers: Record<string, string | number> = {}): this {
    let fields = this.#fields;
    // All or nothing: after an invalid field the caller writes another head.
    for (const name in headers) fields += field(name, String(headers[name]));
    this.#status = status;
    this.#fields = fields;
    this.#hasLength = 'content-length' in headers;
    this.headersSent = true;
    return this;
  }

  flushHeaders(): void {
    if (this.#isChunked || this.writableEnded) return;
    this.#isChunked = true;
    this.#place.socket.write(this.#head('Transfer-Encoding: chunked\r\n'), 'latin1');
  }

  write(chunk: string | Uint8Array, done?: () => void): void {
    if (this.writableEnded || chunk.length === 0) return;
    this.flushHeaders();
    const { socket } = this.#place;
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
    socket.cork();
    socket.write(`${bytes.length.toString(16)}\r\n`, 'latin1');
    socket.write(bytes);
    socket.write('\r\n', 'latin1', done);
    socket.uncork();
  }

  end(chunk?: string | Uint8Array, then?: 'latin1' | (() => void)): this {
    if (this.writableEnded) return this;
    const { socket } = this.#place;
    const done = typeof then === 'function' ? then : undefined;
    if (this.#isChunked) {
      if (chunk !== undefined) this.write(chunk);
      socket.write('0\r\n\r\n', 'latin1', done);
    } else if (typeof chunk === 'string') {
      socket.write(this.#wholeHead(chunk.length) + chunk, 'latin1', done);
    } else {
      socket.cork();
      socket.write(this.#wholeHead(chunk?.length ?? 0), 'latin1', chunk ? undefined : done);
      if (chunk) socket.write(chunk, done);
      socket.uncork();
    }
    this.headersSent = true;
    this.writableEnded = true;
    this.#place.onEnded();
    if (this.#closeListeners) process.nextTick(() => this.closed());
    return this;
  }

  destroy(): void {
    this.#place.socket.destroy();
  }

  once(_event: 'close', listener: () => void): this {
    this.#closeListeners ??= [];
    this.#closeListeners.push(listener);
    return this;
  }

  /** The response has ended, or its connection is closed. */
  closed(): void {
    const listeners = this.#closeListeners;
    this.#closeListeners = undefined;
    for (const listener of listeners ?? []) listener();
  }

  #wholeHead(length: number): string {
    return this.#head(this.#hasLength ? '' : `Content-Length: ${length}\r\n`);
  }

  #head(last: string): string {
    const date = `Date: ${httpDate(Date.now())}\r\n`;
    return `HTTP/1.1 ${this.#status} ${STATUS_CODES[this.#status]}\r\n${this.#fields}${date}${this.#place.connectionFields()}${last}\r\n`;
  }
}

function field(name: string, value: string): string {
  validateHeaderName(name);
  validateHeaderValue(name, value);
  return `${name}: ${value}\r\n`;
}

let dateText = '';
let dateSecond = 0;

/** The time in HTTP format, cached for a second. */
function httpDate(now: number): string {
  const second = Math.floor(now / 1_000);
  if (second !== dateSecond) {
    dateSecond = second;
    dateText = new Date(now).toUTCString();
  }
  return dateText;
}
