import { connect, type Socket } from 'node:net';
import type { Dispatcher } from 'undici';
import { CONNECTION_LIMITS as LIMITS } from '../connection/limits.ts';
import { readInTurns } from './read-in-turns.ts';
import { type ResponseEvents, ResponseParser } from './response-parser.ts';

/** A request for `WirePool`: its body is complete or absent. */
export interface WireRequest {
  readonly origin: string;
  readonly path: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array | null;
}

const SWEEP_EVERY_MS = 1_000;
/** Up to this size, body and head are copied together into one write. */
const JOINED_BYTES_MAX = 64 * 1024;
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;
const REQUEST_TARGET = /^[\x21-\x7e]+$/;

/**
 * A pool of plain-HTTP keep-alive connections, each with one request at a time. It does a third of undici's work for such requests: no
 * stream objects, no WebAssembly parser, one shared read buffer. A connection serves one entry, one origin and one credential only.
 *
 * A server may close an idle connection while a request is being written. Three rules keep that from failing calls:
 * - An idle connection is reused for half of the `Keep-Alive: timeout=` that its server announces, and at least a second less; without an
 *   announcement, for `keepAliveUnannouncedMs`.
 * - If a connection was idle for `idleCheckMs`, the request is written one turn of the event loop later. A FIN that arrived before is read
 *   first, and the request goes to a new connection.
 * - If a reused connection ends without a byte of a response, the request is retried once on a new connection, provided that the kernel
 *   has not accepted all of it: the server cannot have processed an incomplete request (RFC 9112, 8). If all of it was written, only GET
 *   and DELETE are retried (RFC 9110, 9.2.2). A POST may have been processed, so it fails.
 */
export class WirePool {
  readonly #idle = new Map<string, Wire[]>();
  readonly #all = new Set<Wire>();
  #sweeper: NodeJS.Timeout | undefined;

  dispatch(request: WireRequest, handler: Dispatcher.DispatchHandler, entry = ''): void {
    const { text, key } = knownHead(request, entry);
    const { body, origin } = request;
    const head = body === null ? `${text}\r\n` : `${text}content-length: ${body.length}\r\n\r\n`;
    const wire = this.#take(key) ?? this.#open(key, origin, entry);
    wire.send({ head, body, handler, isIdempotent: request.method !== 'POST' });
  }

  /** Stops reusing the connections of this entry; running requests may finish. */
  retire(entry: string): void {
    for (const wire of [...this.#all]) if (wire.entry === entry) wire.retire();
  }

  destroy(): void {
    clearInterval(this.#sweeper);
    this.#sweeper = undefined;
    for (const wire of this.#all) wire.destroy();
  }

  /** The most recently used one, which is least likely to be closed by now. */
  #take(key: string): Wire | undefined {
    const idle = this.#idle.get(key);
    for (let wire = idle?.pop(); wire; wire = idle?.pop()) {
      if (performance.now() < wire.usableUntil) return wire;
      wire.destroy();
    }
    return undefined;
  }

  #open(key: string, origin: string, entry: string): Wire {
    const wire: Wire = new Wire(origin, entry, {
      onIdle: () => {
        const idle = this.#idle.get(key);
        if (idle) idle.push(wire);
        else this.#idle.set(key, [wire]);
        this.#sweeper ??= setInterval(() => this.#sweep(), SWEEP_EVERY_MS).unref();
      },
      onUnprocessed: (request) => this.#open(key, origin, entry).send(request),
      onGone: () => {
        this.#all.delete(wire);
        const idle = this.#idle.get(key);
        const at = idle?.indexOf(wire) ?? -1;
        if (at >= 0) idle?.splice(at, 1);
      },
    });
    this.#all.add(wire);
    return wire;
  }

  #sweep(): void {
    const now = performance.now();
    for (const [key, idle] of this.#idle) {
      for (const wire of idle.filter(({ usableUntil }) => usableUntil <= now)) wire.destroy();
      if (idle.length === 0) this.#idle.delete(key);
    }
    if (this.#idle.size > 0) return;
    clearInterval(this.#sweeper);
    this.#sweeper = undefined;
  }
}

/** A serialized request. */
interface WrittenRequest {
  readonly head: string;
  readonly body: Uint8Array | null;
  readonly handler: Dispatcher.DispatchHandler;
  readonly isIdempotent: boolean;
}

interface WireHooks {
  readonly onIdle: () => void;
  /** The connection ended before the server can have processed the request: it may be retried on another one. */
  readonly onUnprocessed: (request: WrittenRequest) => void;
  readonly onGone: () => void;
}

/** The control that a request has over its connection, until the request ends. */
class Hold implements Dispatcher.DispatchController {
  aborted = false;
  readonly paused = false;
  reason: Error | null = null;
  readonly #wire: Wire;

  constructor(wire: Wire) {
    this.#wire = wire;
  }

  abort(reason: Error): void {
    if (this.#wire.holder !== this) return;
    this.aborted = true;
    this.reason = reason;
    this.#wire.fail(reason);
  }

  pause(): void {
    this.#wire.pause();
  }

  wait(): void {
    this.#wire.wait();
  }

  resume(): void {
    this.#wire.resume();
  }
}

/** One connection, and its current request. */
class Wire implements ResponseEvents {
  usableUntil = 0;
  holder: Hold | undefined;
  readonly entry: string;
  readonly #hooks: WireHooks;
  readonly #socket: Socket;
  readonly #parser = new ResponseParser();
  #request: WrittenRequest | undefined;
  /** How much of the request the kernel has accepted. */
  #written: 'nothing' | 'part' | 'all' = 'nothing';
  /** A byte has arrived since the request was written. */
  #isAnswering = false;
  /** When it became idle; undefined: it has served no request yet. */
  #idleSince: number | undefined;
  #connecting: NodeJS.Timeout | undefined;
  /** The consumer paused it (backpressure): read in small pieces. */
  #isNoisy = false;
  #isRetired = false;

  constructor(origin: string, entry: string, hooks: WireHooks) {
    this.entry = entry;
    this.#hooks = hooks;
    const { hostname, port } = new URL(origin);
    this.#socket = connect({
      host: hostname.replace(/^\[|\]$/g, ''),
      port: Number(port || 80),
      noDelay: true,
      keepAlive: true,
      onread: readInTurns(
        () => this.#socket,
        (chunk) => this.#read(chunk),
        { isNoisy: () => this.#isNoisy },
      ),
    });
    this.#connecting = setTimeout(() => this.fail(failure('CONNECT_TIMEOUT')), LIMITS.connectTimeoutMs);
    this.#socket
      .once('connect', () => clearTimeout(this.#connecting))
      .on('end', () => this.#ended())
      .on('error', (error) => this.#lost(error))
      .on('close', () => {
        this.#ended();
        this.#hooks.onGone();
      });
  }

  send(request: WrittenRequest): void {
    const holder = new Hold(this);
    this.#request = request;
    this.holder = holder;
    this.#isNoisy = false;
    this.#written = 'nothing';
    this.#isAnswering = false;
    this.#socket.ref();
    request.handler.onRequestStart?.(holder, undefined);
    if (this.holder !== holder) return;
    const idleMs = this.#idleSince === undefined ? 0 : performance.now() - this.#idleSince;
    if (idleMs < LIMITS.idleCheckMs) this.#write(request);
    else
      afterNextPoll(() => {
        if (this.holder === holder) this.#write(request);
      });
  }

  #write({ head, body }: WrittenRequest): void {
    this.#parser.begin(this);
    this.#written = 'part';
    if (body === null) {
      this.#socket.write(head, 'latin1', this.#onWritten);
      return;
    }
    if (body.length > JOINED_BYTES_MAX) {
      this.#socket.cork();
      this.#socket.write(head, 'latin1');
      this.#socket.write(body, this.#onWritten);
      this.#socket.uncork();
      return;
    }
    const bytes = Buffer.allocUnsafe(head.length + body.length);
    bytes.write(head, 0, 'latin1');
    bytes.set(body, head.length);
    this.#socket.write(bytes, this.#onWritten);
  }

  readonly #onWritten = (error?: Error | null): void => {
    if (!error) this.#written = 'all';
  };

  destroy(): void {
    this.fail(failure('ECONNRESET'));
  }

  retire(): void {
    this.#isRetired = true;
    if (this.holder === undefined) this.destroy();
    else if (this.#written === 'nothing') this.#lost(failure('ECONNRESET'));
  }

  pause(): void {
    this.#isNoisy = true;
    this.#socket.pause();
  }

  /** Stops reading until `resume`. */
  wait(): void {
    this.#socket.pause();
  }

  resume(): void {
    this.#socket.resume();
  }

  onHead(status: number, headers: Record<string, string | string[]>): void {
    if (this.holder) this.#request?.handler.onResponseStart?.(this.holder, status, headers, '');
  }

  onBody(chunk: Buffer): void {
    if (this.holder) this.#request?.handler.onResponseData?.(this.holder, chunk);
  }

  onEnd(): void {
    const [request, holder] = [this.#request, this.holder];
    if (request === undefined || holder === undefined) return;
    this.#request = undefined;
    this.holder = undefined;
    if (this.#parser.keepAlive && !this.#isRetired && !this.#socket.destroyed) {
      this.#idleSince = performance.now();
      this.usableUntil = this.#idleSince + usableMs(this.#parser.keepAliveMs);
      this.#socket.unref();
      this.#hooks.onIdle();
    } else this.#socket.destroy();
    request.handler.onResponseEnd?.(holder, {});
  }

  #read(chunk: Buffer): void {
    this.#isAnswering = true;
    try {
      this.#parser.push(chunk);
    } catch (thrown) {
      this.#lost(thrown as Error);
    }
  }

  #ended(): void {
    clearTimeout(this.#connecting);
    this.usableUntil = 0;
    if (this.#request === undefined || this.#parser.finish()) return;
    this.#lost(failure('ECONNRESET'));
  }

  /** The connection broke: retries its request on another one if that is safe. */
  #lost(error: Error): void {
    const request = this.#request;
    const isUnprocessed = request !== undefined && this.#isUnprocessed(request);
    if (isUnprocessed) {
      this.#request = undefined;
      this.holder = undefined;
    }
    this.fail(error);
    if (isUnprocessed) this.#hooks.onUnprocessed(request);
  }

  #isUnprocessed({ isIdempotent }: WrittenRequest): boolean {
    if (this.#idleSince === undefined) return false;
    if (this.#written === 'nothing') return true;
    return !this.#isAnswering && (this.#written === 'part' || isIdempotent);
  }

  fail(error: Error): void {
    clearTimeout(this.#connecting);
    // It may stay in the idle list until its socket reports the close.
    this.usableUntil = 0;
    const [request, holder] = [this.#request, this.holder];
    this.#request = undefined;
    this.holder = undefined;
    this.#socket.destroy();
    if (holder) request?.handler.onResponseError?.(holder, error);
  }
}

interface KnownHead extends Pick<WireRequest, 'origin' | 'path' | 'method'> {
  readonly entry: string;
  /** The head without Content-Length. Validated, so that no value can start another header or request. */
  readonly text: string;
  /** Identifies the connections that may carry it. */
  readonly key: string;
}

/** Caches serialized heads by headers object: most requests of a connection have the same. */
const knownHeads = new WeakMap<WireRequest['headers'], KnownHead>();

function knownHead({ origin, path, method, headers }: WireRequest, entry: string): KnownHead {
  let known = knownHeads.get(headers);
  if (known?.path !== path || known.origin !== origin || known.method !== method || known.entry !== entry) {
    const text = headWithoutLength(origin, path, method, headers);
    known = { origin, path, method, entry, text, key: `${entry} ${origin} ${credentialOf(headers)}` };
    knownHeads.set(headers, known);
  }
  return known;
}

/** The Authorization of a request. Configured headers need no comparison, because they belong to the entry. */
export function credentialOf(headers: WireRequest['headers']): string {
  for (const name in headers) if (name.toLowerCase() === 'authorization') return headers[name] as string;
  return '';
}

function headWithoutLength(origin: string, path: string, method: string, headers: WireRequest['headers']): string {
  if (!REQUEST_TARGET.test(path)) throw new TypeError('a bad request target');
  let head = `${method} ${path} HTTP/1.1\r\nhost: ${origin.slice('http://'.length)}\r\n`;
  for (const name in headers) {
    const value = headers[name] as string;
    if (!HEADER_NAME.test(name) || !HEADER_VALUE.test(value)) throw new TypeError(`a bad value of header ${name}`);
    head += `${name}: ${value}\r\n`;
  }
  return head;
}

/** How long an idle connection may be reused, given the server's announced keep-alive time. */
function usableMs(announcedMs: number | undefined): number {
  if (announcedMs === undefined) return LIMITS.keepAliveUnannouncedMs;
  return Math.min(LIMITS.keepAliveMs, announcedMs / 2, announcedMs - LIMITS.keepAliveMarginMs);
}

/** Runs after all events that wait in the kernel now: the second check phase follows a whole poll phase. */
function afterNextPoll(work: () => void): void {
  setImmediate(() => setImmediate(work));
}

function failure(code: string): Error {
  return Object.assign(new Error('the connection was closed'), { code });
}
