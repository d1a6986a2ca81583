import type { Dispatcher } from 'undici';
import type { CancelSignal } from '../../contract/cancellation.ts';
import { acquireBuffer } from '../../wire/buffer-pool.ts';
import { acquireLargeBuffer, releaseLargeBuffer } from '../../wire/large-buffers.ts';
import { WIRE_LIMITS } from '../../wire/limits.ts';
import { UpstreamError } from '../../wire/upstream.ts';
import { CONNECTION_LIMITS as LIMITS } from '../connection/limits.ts';
import { largeBodiesOf } from './large-bodies.ts';
import { HostNotPublic } from './public-agent.ts';
import { MalformedResponse } from './response-parser.ts';

export type HttpHeaders = Readonly<Record<string, string | string[] | undefined>>;

export interface HttpRequest {
  readonly url: URL;
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
  readonly signal?: CancelSignal;
  /** Wraps the time in which a person is asked, which does not count against deadlines. */
  readonly whileWaiting?: (<T>(work: () => Promise<T>) => Promise<T>) | undefined;
}

/** Consumes the body of a response, chunk by chunk. */
export interface BodySink {
  /** The chunk is valid only during the call. Throwing ends the exchange with that error. */
  onChunk(chunk: Buffer): void;
  /** How long to stop reading after a chunk of this size; meanwhile the sender waits. */
  readonly restMs?: (bytes: number) => number;
}

export type Accept = (status: number, headers: HttpHeaders) => BodySink;

export interface HttpResponse {
  readonly status: number;
  readonly headers: HttpHeaders;
  /** Whether the whole body has arrived. */
  readonly isComplete: boolean;
  /** Resolves at the end of the body; rejects if the connection breaks or the sink throws. */
  readonly ended: Promise<void>;
}

/**
 * Sends one request, and streams the body to the sink that `accept` chooses from status and headers. Uses undici's dispatch directly,
 * because a stream object per answer costs more than the call. Follows redirects within the origin only: a token must not reach a host
 * that the entry does not name.
 */
export function exchange(
  dispatcher: Dispatcher,
  request: HttpRequest,
  accept: Accept,
  redirects = 0,
): Promise<HttpResponse> {
  if (request.signal?.aborted) return Promise.reject(new UpstreamError('cancelled', 'the request was cancelled'));
  return new Promise((resolve, reject) => {
    const follow = async (response: HttpResponse) => {
      await response.ended;
      const url = redirectTarget(request.url, response, redirects);
      return exchange(dispatcher, { ...request, url }, accept, redirects + 1);
    };
    const { signal } = request;
    const ending = new Ending();
    let sink: BodySink | undefined;
    let controller: WaitingController | undefined;
    /** Our own reason to abort, if it was not the server's failure. */
    let failure: unknown;
    let interimHeads = 0;
    const onAbort = () => controller?.abort(abortError());
    const abortWith = (reason: unknown) => {
      failure = reason;
      controller?.abort(abortError());
    };
    const largeBodies = largeBodiesOf(dispatcher);
    let bodyBytes = 0;
    /** Resumes reading after waiting for a slot; undefined: this body neither has nor awaits a slot. */
    let resumeReading: (() => void) | undefined;
    const acquireSlot = () => {
      resumeReading = () => controller?.resume();
      if (largeBodies.acquire(resumeReading)) return;
      if (controller?.wait) controller.wait();
      else controller?.pause();
    };
    const releaseSlot = () => {
      if (!resumeReading) return;
      largeBodies.release(resumeReading);
      // If it still waited for a slot, its connection is paused: read from it again.
      resumeReading();
      resumeReading = undefined;
    };
    let isResting = false;
    const rest = (ms: number) => {
      if (isResting) return;
      isResting = true;
      controller?.pause();
      setTimeout(() => {
        isResting = false;
        controller?.resume();
      }, ms);
    };
    const { origin, path } = targetOf(request.url);
    const { method, headers, body } = request;
    signal?.addEventListener('abort', onAbort, { once: true });
    dispatcher.dispatch(
      { origin, path, method, headers: headers as Record<string, string>, body: (body as Buffer | undefined) ?? null },
      {
        onRequestStart(started) {
          controller = started;
          if (signal?.aborted) started.abort(abortError());
        },
        onResponseStart(_controller, status, received) {
          if (status < 200) {
            interimHeads += 1;
            if (interimHeads > LIMITS.interimHeadsMax)
              abortWith(describeFailure(new MalformedResponse('too many interim responses'), request));
            return;
          }
          const plain = received as HttpHeaders;
          try {
            sink = isRedirect(status) ? new BufferSink(0, true) : accept(status, plain);
          } catch (thrown) {
            abortWith(thrown);
            return;
          }
          const response = new Response(status, plain, ending);
          resolve(isRedirect(status) ? follow(response) : response);
        },
        onResponseData(_controller, chunk) {
          if (failure !== undefined) return;
          try {
            sink?.onChunk(chunk);
            bodyBytes += chunk.length;
            if (!resumeReading && bodyBytes > LARGE_BYTES / 2 && sink instanceof BufferSink) acquireSlot();
            const restMs = sink?.restMs?.(chunk.length) ?? 0;
            if (restMs > 0) rest(restMs);
          } catch (thrown) {
            abortWith(thrown);
          }
        },
        onResponseEnd() {
          signal?.removeEventListener('abort', onAbort);
          releaseSlot();
          ending.complete();
        },
        onResponseError(_controller, error) {
          signal?.removeEventListener('abort', onAbort);
          releaseSlot();
          const described = failure ?? describeFailure(error, request);
          // No effect if the response has begun: then its reader gets the error.
          reject(described);
          ending.fail(described);
        },
      },
    );
  });
}

/** Our own connections can wait without being marked as noisy. */
interface WaitingController extends Dispatcher.DispatchController {
  wait?(): void;
}

/** Origin and path of a URL, cached, because a URL computes them at each access. */
function targetOf(url: URL): { readonly origin: string; readonly path: string } {
  let target = targets.get(url);
  if (!target) {
    target = { origin: url.origin, path: url.pathname + url.search };
    targets.set(url, target);
  }
  return target;
}

const targets = new WeakMap<URL, { readonly origin: string; readonly path: string }>();

/** Above this announced length, the buffer grows with the body instead. */
const WHOLE_BYTES_MAX = 1024 * 1024;
const LARGE_BYTES = WIRE_LIMITS.largeLineBytes;

/** A sink that buffers the body, up to a limit. */
export class BufferSink implements BodySink {
  #chunks: Buffer[] = [];
  readonly #bytesMax: number;
  readonly #cut: boolean;
  #bytes = 0;
  /** A buffer for the whole body if its length is known, so that it is copied once. */
  #whole: Buffer | undefined;
  /** A buffer from the pool, for a body that became large. */
  #room: Buffer | undefined;

  /** With `cut`, bytes above the limit are ignored instead of refused. */
  constructor(bytesMax: number, cut = false, length?: number) {
    this.#bytesMax = bytesMax;
    this.#cut = cut;
    if (length !== undefined && length <= Math.min(bytesMax, WHOLE_BYTES_MAX))
      this.#whole = acquireBuffer(length, WIRE_LIMITS.headRoomBytes);
  }

  onChunk(chunk: Buffer): void {
    const at = this.#bytes;
    this.#bytes += chunk.length;
    if (this.#whole && this.#bytes <= this.#whole.length) chunk.copy(this.#whole, at);
    else if (this.#bytes > this.#bytesMax) this.#overflow();
    else if (this.#room) chunk.copy(this.#room, at);
    else if (this.#bytes > LARGE_BYTES && !this.#cut) this.#enlarge(chunk);
    else this.#chunks.push(Buffer.from(chunk));
  }

  get bytes(): Buffer {
    if (this.#room) {
      this.#whole = Buffer.from(this.#room.subarray(0, this.#bytes));
      this.#leaveRoom();
    }
    if (this.#whole) return this.#whole.length === this.#bytes ? this.#whole : this.#whole.subarray(0, this.#bytes);
    return this.#chunks.length === 1 ? (this.#chunks[0] as Buffer) : Buffer.concat(this.#chunks);
  }

  #enlarge(chunk: Buffer): void {
    const room = acquireLargeBuffer(this.#bytesMax);
    let at = 0;
    for (const piece of [...this.#chunks, chunk]) at += piece.copy(room, at);
    this.#chunks = [];
    this.#room = room;
  }

  #overflow(): void {
    this.#leaveRoom();
    if (!this.#cut) throw tooLarge(this.#bytesMax);
  }

  #leaveRoom(): void {
    if (this.#room) releaseLargeBuffer(this.#room);
    this.#room = undefined;
  }
}

export function tooLarge(bytesMax: number): UpstreamError {
  return new UpstreamError('too_large', `the answer is larger than ${bytesMax} bytes`);
}

/** The first value of a header, by its lower-case name. */
export function headerValue(headers: HttpHeaders, name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value[0] : value;
}

/** The media type without its parameters. */
export function mediaType(headers: HttpHeaders): string {
  const type = headerValue(headers, 'content-type') ?? '';
  return type === 'application/json' ? type : (type.split(';', 1)[0]?.trim().toLowerCase() ?? '');
}

/** The end of a body. Creates a promise only for a caller that has to wait, because most bodies are complete before that. */
class Ending {
  state: 'open' | 'complete' | 'broken' = 'open';
  error: unknown;
  readonly #waiting: { readonly resolve: () => void; readonly reject: (error: unknown) => void }[] = [];

  wait(): Promise<void> {
    if (this.state === 'complete') return Promise.resolve();
    if (this.state === 'broken') return Promise.reject(this.error);
    return new Promise((resolve, reject) => this.#waiting.push({ resolve, reject }));
  }

  complete(): void {
    this.state = 'complete';
    for (const { resolve } of this.#waiting) resolve();
  }

  fail(error: unknown): void {
    this.state = 'broken';
    this.error = error;
    for (const { reject } of this.#waiting) reject(error);
  }
}

class Response implements HttpResponse {
  readonly status: number;
  readonly headers: HttpHeaders;
  readonly #ending: Ending;

  constructor(status: number, headers: HttpHeaders, ending: Ending) {
    this.status = status;
    this.headers = headers;
    this.#ending = ending;
  }

  get isComplete(): boolean {
    return this.#ending.state === 'complete';
  }

  get ended(): Promise<void> {
    return this.#ending.wait();
  }
}

function describeFailure(error: Error, request: HttpRequest): UpstreamError {
  if (request.signal?.aborted) return new UpstreamError('cancelled', 'the request was cancelled');
  if (error instanceof MalformedResponse)
    return new UpstreamError('bad_answer', `the server answered with ${error.message}`, { cause: error });
  const code = (error as { code?: unknown }).code;
  const lost = ['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE'].includes(String(code));
  const { origin } = request.url;
  const why = error instanceof HostNotPublic ? error.message : (code ?? error.message);
  return lost
    ? new UpstreamError('lost', `the connection to ${origin} broke (${why})`, { cause: error })
    : new UpstreamError('refused', `cannot reach ${origin} (${why})`, { cause: error });
}

function redirectTarget(from: URL, response: HttpResponse, redirects: number): URL {
  const location = headerValue(response.headers, 'location');
  const target = location === undefined ? null : URL.parse(location, from.href);
  if (target === null) {
    throw new UpstreamError('http', `the server answered HTTP ${response.status} without a place to go`, {
      status: response.status,
    });
  }
  if (target.origin !== from.origin) {
    throw new UpstreamError(
      'http',
      `the server redirects to another origin (${target.origin}), which is not followed`,
      {
        status: response.status,
      },
    );
  }
  if (redirects >= LIMITS.redirectsMax) {
    throw new UpstreamError('http', 'the server redirects too often', { status: response.status });
  }
  return target;
}

function isRedirect(status: number): boolean {
  return status === 301 || status === 302 || status === 307 || status === 308;
}

function abortError(): Error {
  return new Error('aborted');
}
