import type { CancelSignal } from '../../contract/cancellation.ts';
import { UpstreamError } from '../../wire/upstream.ts';
import { CONNECTION_LIMITS as LIMITS } from '../connection/limits.ts';
import type { Redact } from '../connection/ports.ts';
import {
  type Accept,
  BufferSink,
  exchange,
  type HttpRequest,
  type HttpResponse,
  headerValue,
} from './http-exchange.ts';
import type { EntryPool } from './http-pool.ts';

/** Provides and renews the Authorization header. */
export interface Authorizer {
  /** Undefined if there is no credential (yet). A promise only if it has to wait. */
  authorization(signal: CancelSignal | undefined): Promise<string | undefined> | string | undefined;
  /** Handles a 401 or 403: true if a retry makes sense. Rejects with an `UpstreamError` of kind `auth`. */
  challenged(challenge: Challenge, signal: CancelSignal | undefined): Promise<boolean>;
}

export interface Challenge {
  readonly status: 401 | 403;
  readonly url: URL;
  readonly wwwAuthenticate: string | undefined;
  /** The Authorization value that the server refused. */
  readonly refused: string | undefined;
  /** How often this request was already challenged. */
  readonly attempt: number;
}

export interface HttpSenderOptions {
  readonly dispatcher: EntryPool;
  /** Configured headers: applied last, so that a configured Authorization wins. */
  readonly headers: Readonly<Record<string, string>>;
  readonly authorizer: Authorizer | undefined;
  /** Masks the part of a body that goes into an error message. */
  readonly redact: Redact;
}

export interface Sent extends Pick<HttpResponse, 'status' | 'headers'> {
  readonly response: HttpResponse;
  /** The beginning of the body, if the response is not a success. */
  readonly errorBody: Buffer;
}

type Headers = HttpRequest['headers'];

const NO_BODY = Buffer.alloc(0);

/** Sends the HTTP requests of one server: adds its headers and authorization, and answers challenges. */
export class HttpSender {
  readonly #options: HttpSenderOptions;
  readonly #configured: Readonly<Record<string, string>>;
  readonly #hasConfigured: boolean;
  #last: { readonly given: Headers; readonly authorization: string | undefined; readonly all: Headers } | undefined;

  constructor(options: HttpSenderOptions) {
    this.#options = options;
    this.#configured = Object.fromEntries(
      Object.entries(options.headers).map(([name, value]) => [name.toLowerCase(), value]),
    );
    this.#hasConfigured = Object.keys(this.#configured).length > 0;
  }

  /** `accept` chooses the sink of a successful response; other responses are returned with the beginning of their body. */
  async send(request: HttpRequest, accept: Accept): Promise<Sent> {
    for (let attempt = 0; ; attempt++) {
      const { authorizer } = this.#options;
      const presented = authorizer?.authorization(request.signal);
      const authorization = presented instanceof Promise ? await presented : presented;
      const headers = this.#together(request.headers, authorization);
      let errorSink: BufferSink | undefined;
      const complete = headers === request.headers ? request : { ...request, headers };
      const response = await exchange(this.#options.dispatcher, complete, (status, received) => {
        if (status < 300) return accept(status, received);
        errorSink = new BufferSink(LIMITS.errorBodyBytesMax, true);
        return errorSink;
      });
      if (errorSink !== undefined) await response.ended;
      const { status, headers: received } = response;
      const sent = { status, headers: received, response, errorBody: errorSink?.bytes ?? NO_BODY };
      if (status !== 401 && status !== 403) return sent;
      const again =
        attempt < LIMITS.challengesMax && (await this.#isSettled(sent, request, headers.authorization, attempt));
      if (!again) return sent;
    }
  }

  /** All headers of a request. Returns the same object while nothing changes, so that the headers are serialized once. */
  #together(given: Headers, authorization: string | undefined): Headers {
    if (authorization === undefined && !this.#hasConfigured) return given;
    if (this.#last?.given !== given || this.#last.authorization !== authorization) {
      const all = { ...given, ...(authorization === undefined ? {} : { authorization }), ...this.#configured };
      this.#last = { given, authorization, all };
    }
    return this.#last.all;
  }

  /** Stops reusing the connections that are open now. */
  retireConnections(): void {
    this.#options.dispatcher.retire();
  }

  /** Converts an unsuccessful response to an error. */
  errorOf(sent: Sent): UpstreamError {
    return statusError(sent, this.#options.redact);
  }

  async #isSettled(sent: Sent, request: HttpRequest, refused: string | undefined, attempt: number): Promise<boolean> {
    const { authorizer } = this.#options;
    if (authorizer === undefined || this.#configured.authorization !== undefined) return false;
    const challenge: Challenge = {
      status: sent.status as 401 | 403,
      url: request.url,
      wwwAuthenticate: [sent.headers['www-authenticate']].flat().join(', ') || undefined,
      refused,
      attempt,
    };
    const settle = () => authorizer.challenged(challenge, request.signal);
    return request.whileWaiting === undefined ? settle() : request.whileWaiting(settle);
  }
}

function statusError({ status, headers, errorBody }: Sent, redact: Redact): UpstreamError {
  if (status === 401 || status === 403) {
    const what = status === 401 ? 'the server requires authorization' : 'the server denies access';
    return new UpstreamError('auth', `${what} (HTTP ${status})`, { status });
  }
  if (status === 429) {
    const retryAfterMs = retryAfter(headerValue(headers, 'retry-after'));
    return new UpstreamError('rate_limited', 'the server limits the rate of requests (HTTP 429)', {
      status,
      ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    });
  }
  const excerpt = redact(errorBody.toString('utf8')).replace(/\s+/g, ' ').trim().slice(0, LIMITS.errorTextMax);
  return new UpstreamError('http', `the server answered HTTP ${status}${excerpt === '' ? '' : `: ${excerpt}`}`, {
    status,
  });
}

/** Parses seconds or a date, capped by a limit. */
function retryAfter(value: string | undefined): number | undefined {
  if (value === undefined || value.length > LIMITS.retryAfterCharsMax) return undefined;
  const ms = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.now();
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(0, ms), LIMITS.retryAfterMaxMs);
}
