import type { Dispatcher } from 'undici';
import { lendBytes } from '../../wire/lent-bytes.ts';
import { CONNECTION_LIMITS as LIMITS } from '../connection/limits.ts';
import { UpstreamError } from '../connection/upstream.ts';
import { MalformedResponse } from './response-parser.ts';

export type HttpHeaders = Readonly<Record<string, string | string[] | undefined>>;

export interface HttpRequest {
  readonly url: URL;
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
  readonly signal?: AbortSignal;
  /** Time during which a person is asked does not count. */
  readonly whileWaiting?: <T>(work: () => Promise<T>) => Promise<T>;
}

/** How the body of a response is taken: chunk by chunk, as it comes. */
export interface BodySink {
  /** The chunk is valid during the call only. Throwing ends the exchange with what was thrown. */
  onChunk(chunk: Buffer): void;
}

export interface HttpResponse {
  readonly status: number;
  readonly headers: HttpHeaders;
  /** Resolves at the end of the body; rejects if it breaks off or the sink throws. */
  readonly ended: Promise<void>;
}

/**
 * Sends one request and hands the body to the sink that `accept` chooses when status and headers are known. It works on
 * undici's dispatch directly, because a stream object per answer costs more than the call. Redirects are followed within
 * the origin only: a token must not travel to a host that the entry does not name.
 */
export async function exchange(
  dispatcher: Dispatcher,
  request: HttpRequest,
  accept: (status: number, headers: HttpHeaders) => BodySink,
): Promise<HttpResponse> {
  let url = request.url;
  for (let redirects = 0; ; redirects++) {
    const response = await dispatch(dispatcher, { ...request, url }, accept);
    if (!isRedirect(response.status)) return response;
    await response.ended;
    url = redirectTarget(url, response, redirects);
  }
}

/** A body that says to be larger is given its place as it comes. */
const WHOLE_BYTES_MAX = 1024 * 1024;

/** A sink that keeps the body whole, up to a limit. */
export class BufferSink implements BodySink {
  readonly #chunks: Buffer[] = [];
  readonly #bytesMax: number;
  readonly #cut: boolean;
  #bytes = 0;
  /** Where the whole body goes if its length is known, so that it is copied once. */
  readonly #whole: Buffer | undefined;

  /** With `cut` what is over the limit is ignored instead of refused. */
  constructor(bytesMax: number, cut = false, length?: number) {
    this.#bytesMax = bytesMax;
    this.#cut = cut;
    if (length !== undefined && length <= Math.min(bytesMax, WHOLE_BYTES_MAX)) this.#whole = lendBytes(length);
  }

  onChunk(chunk: Buffer): void {
    const at = this.#bytes;
    this.#bytes += chunk.length;
    if (this.#whole && this.#bytes <= this.#whole.length) chunk.copy(this.#whole, at);
    else if (this.#bytes <= this.#bytesMax) this.#chunks.push(Buffer.from(chunk));
    else if (!this.#cut) throw tooLarge(this.#bytesMax);
  }

  get bytes(): Buffer {
    if (this.#whole) return this.#whole.length === this.#bytes ? this.#whole : this.#whole.subarray(0, this.#bytes);
    return this.#chunks.length === 1 ? (this.#chunks[0] as Buffer) : Buffer.concat(this.#chunks);
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
  return (headerValue(headers, 'content-type') ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
}

function dispatch(
  dispatcher: Dispatcher,
  request: HttpRequest,
  accept: (status: number, headers: HttpHeaders) => BodySink,
): Promise<HttpResponse> {
  return new Promise((resolve, reject) => {
    let end = () => {};
    let fail: (error: unknown) => void = reject;
    let sink: BodySink | undefined;
    let controller: Dispatcher.DispatchController | undefined;
    let failure: unknown;
    const onAbort = () => controller?.abort(abortError());
    const finish = () => request.signal?.removeEventListener('abort', onAbort);
    if (request.signal?.aborted) {
      reject(new UpstreamError('cancelled', 'the request was cancelled'));
      return;
    }
    request.signal?.addEventListener('abort', onAbort, { once: true });
    dispatcher.dispatch(
      {
        origin: request.url.origin,
        path: request.url.pathname + request.url.search,
        method: request.method,
        headers: request.headers as Record<string, string>,
        body: (request.body as Buffer | undefined) ?? null,
      },
      {
        onRequestStart(started) {
          controller = started;
          if (request.signal?.aborted) started.abort(abortError());
        },
        onResponseStart(started, status, headers) {
          if (status < 200) return;
          const plain = headers as HttpHeaders;
          try {
            sink = isRedirect(status) ? new BufferSink(0, true) : accept(status, plain);
          } catch (thrown) {
            failure = thrown;
            started.abort(abortError());
            return;
          }
          const ended = new Promise<void>((endResolve, endReject) => {
            end = endResolve;
            fail = endReject;
          });
          // Whoever does not read the body must not crash the process when it breaks off.
          ended.catch(() => {});
          resolve({ status, headers: plain, ended });
        },
        onResponseData(started, chunk) {
          if (failure !== undefined) return;
          try {
            sink?.onChunk(chunk);
          } catch (thrown) {
            failure = thrown;
            started.abort(abortError());
          }
        },
        onResponseEnd() {
          finish();
          end();
        },
        onResponseError(_controller, error) {
          finish();
          fail(failure ?? describeFailure(error, request));
        },
      },
    );
  });
}

function describeFailure(error: Error, request: HttpRequest): UpstreamError {
  if (request.signal?.aborted) return new UpstreamError('cancelled', 'the request was cancelled');
  if (error instanceof MalformedResponse)
    return new UpstreamError('bad_answer', `the server answered with ${error.message}`, { cause: error });
  const code = (error as { code?: unknown }).code;
  const lost = ['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE'].includes(String(code));
  const { origin } = request.url;
  const why = code ?? error.message;
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
