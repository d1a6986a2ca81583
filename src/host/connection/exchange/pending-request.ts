import { Cancellation } from '../../../contract/cancellation.ts';
import type { MessageId } from '../../../contract/json.ts';
import { RPC } from '../../../wire/revisions.ts';
import {
  type Deadlines,
  UpstreamError as Failure,
  type RawAnswer,
  type RawRequestOptions,
  type UpstreamError,
} from '../../../wire/upstream.ts';

/** A request in flight: settles once, and tracks its two deadlines with a single timer. */
export class PendingRequest {
  readonly id: MessageId;
  readonly method: string;
  readonly progressToken: MessageId | undefined;
  readonly options: RawRequestOptions;
  readonly answer: Promise<RawAnswer>;
  /** Aborts the HTTP exchange and the questions that the server asked for this request. */
  readonly exchange = new Cancellation();
  settled = false;
  /** The server asked a question during this request. */
  hasAsked = false;
  #resolve: (answer: RawAnswer) => void = () => {};
  #reject: (error: UpstreamError) => void = () => {};
  #timer: NodeJS.Timeout | undefined;
  #idleAt = Number.POSITIVE_INFINITY;
  #endAt = Number.POSITIVE_INFINITY;
  #paused = 0;
  readonly #deadlines: Deadlines;
  readonly #onDeadline: (error: UpstreamError) => void;
  readonly #onSettled: () => void;

  constructor(
    request: { readonly id: MessageId; readonly method: string; readonly progressToken?: MessageId | undefined },
    options: RawRequestOptions,
    hooks: { readonly onDeadline: (error: UpstreamError) => void; readonly onSettled: () => void },
  ) {
    this.id = request.id;
    this.method = request.method;
    this.progressToken = request.progressToken;
    this.options = options;
    this.#deadlines = options;
    this.#onDeadline = hooks.onDeadline;
    this.#onSettled = hooks.onSettled;
    this.answer = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    const now = performance.now();
    if (options.timeoutMs !== undefined) this.#idleAt = now + options.timeoutMs;
    if (options.maxTimeoutMs !== undefined) this.#endAt = now + options.maxTimeoutMs;
    this.#arm();
  }

  resolve(answer: RawAnswer): void {
    if (this.#settle()) this.#resolve(answer);
  }

  reject(error: UpstreamError): void {
    if (this.#settle()) this.#reject(error);
  }

  /** Progress extends the idle deadline, never the total one. */
  touch(): void {
    if (this.#deadlines.timeoutMs !== undefined) this.#idleAt = performance.now() + this.#deadlines.timeoutMs;
  }

  /** A server may leave the stream open after the answer: closes it after `ms`, so that it does not hold a socket. */
  leaveStreamAfter(ms: number): void {
    this.#timer = setTimeout(() => this.exchange.abort(), ms);
    this.#timer.unref();
  }

  /** The exchange has ended. */
  finish(): void {
    clearTimeout(this.#timer);
  }

  /** Pauses the deadlines while a person is being asked. */
  async whileWaiting<T>(work: () => Promise<T>): Promise<T> {
    const began = performance.now();
    this.#paused++;
    try {
      return await work();
    } finally {
      this.#paused--;
      const waited = performance.now() - began;
      this.#idleAt += waited;
      this.#endAt += waited;
      this.#arm();
    }
  }

  #arm(): void {
    if (this.settled) return;
    clearTimeout(this.#timer);
    const at = Math.min(this.#idleAt, this.#endAt);
    if (at === Number.POSITIVE_INFINITY) return;
    this.#timer = setTimeout(() => this.#check(), Math.max(0, Math.ceil(at - performance.now())));
  }

  #check(): void {
    if (this.#paused > 0) return;
    const now = performance.now();
    if (now < this.#idleAt && now < this.#endAt) {
      this.#arm();
      return;
    }
    const { timeoutMs, maxTimeoutMs } = this.#deadlines;
    const which =
      now >= this.#endAt ? `within ${maxTimeoutMs} ms in all` : `for ${timeoutMs} ms, and reported no progress`;
    this.#onDeadline(new Failure('timed_out', `the server did not answer ${this.method} ${which}`));
  }

  #settle(): boolean {
    if (this.settled) return false;
    this.settled = true;
    clearTimeout(this.#timer);
    this.#onSettled();
    return true;
  }
}

/** The stream of a request ended without its answer. */
export function unanswered(): UpstreamError {
  return new Failure('bad_answer', 'the server ended its answer without answering the request');
}

/** Another request has the id. */
export function idInUse(): UpstreamError {
  const message = 'a request with this id is under way';
  return new Failure('rpc', message, { rpc: { code: RPC.invalidRequest, message } });
}

/** We closed the connection. */
export function closedError(): UpstreamError {
  return new Failure('closed', 'the connection was closed');
}

/** A time-out, with what the server printed in place of an answer. */
export function withNoise(error: UpstreamError, noise: string | undefined): UpstreamError {
  return noise === undefined ? error : new Failure(error.kind, `${error.message}; ${noiseText(noise)}`);
}

export function noiseText(noise: string): string {
  return `it printed a line that is not MCP: ${noise}`;
}
