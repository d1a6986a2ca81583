import { setTimeout as sleep } from 'node:timers/promises';
import { ABORTED, abortSignalOf, type CancelSignal } from '../../contract/cancellation.ts';
import { readErrorBody } from '../../wire/messages.ts';
import { UpstreamError } from '../../wire/upstream.ts';
import { CONNECTION_LIMITS as LIMITS } from '../connection/limits.ts';
import { type BodySink, BufferSink, type HttpHeaders, headerValue, mediaType, tooLarge } from './http-exchange.ts';
import type { HttpSender, Sent } from './http-sender.ts';
import { SseFeed } from './sse-feed.ts';
import type { Exchange, Transport } from './transport.ts';

const ACCEPT = 'application/json, text/event-stream';

/** The Streamable HTTP transport of both eras: one POST per message, answered with JSON or an event stream. */
export class StreamableHttpTransport implements Transport {
  readonly kind = 'http';
  readonly answersOnOwnStream = true;
  onMessage: Transport['onMessage'] = () => {};
  onOversized: Transport['onOversized'] = () => false;
  onClose: Transport['onClose'] = () => {};
  restMs: Transport['restMs'] = () => 0;
  /** The server no longer knows the session of the long-lived stream. */
  onSessionLost: () => void = () => {};
  /** The negotiated version; undefined before the handshake. */
  protocolVersion: string | undefined;
  sessionId: string | undefined;
  /** Other processes share the session: `close` does not delete it. */
  keepsSession = false;
  /** 2025 only: a broken stream can be resumed. */
  resumable = false;
  readonly #sender: HttpSender;
  readonly #url: URL;
  readonly #closing = new AbortController();
  #serverStream: AbortController | undefined;
  #usual:
    | {
        readonly protocolVersion: string | undefined;
        readonly sessionId: string | undefined;
        readonly headers: Readonly<Record<string, string>>;
      }
    | undefined;

  constructor(url: URL, sender: HttpSender) {
    this.#url = url;
    this.#sender = sender;
  }

  async start(): Promise<void> {}

  async send(bytes: Uint8Array, exchange?: Exchange): Promise<void> {
    const wanted = exchange === undefined ? new BufferSink(0, true) : new AnswerSink(exchange, this.#feedOf);
    const sessionId = exchange?.beginsSession ? undefined : this.sessionId;
    const sent = await this.#sender.send(
      {
        url: this.#url,
        method: 'POST',
        headers: this.#messageHeaders(exchange),
        body: bytes,
        signal: exchange?.signal ?? this.#closing.signal,
        whileWaiting: exchange?.whileWaiting,
      },
      (_status, headers) => (wanted instanceof AnswerSink ? wanted.choose(headers) : wanted),
    );
    if (sent.status >= 300) return this.#refuse(sent, exchange, sessionId);
    if (exchange === undefined) return;
    if (exchange.beginsSession) this.sessionId = headerValue(sent.headers, 'mcp-session-id');
    const sink = wanted as AnswerSink;
    // Fast path: nearly every answer is JSON that is already complete.
    if (sink.json !== undefined && sent.response.isComplete) this.#hand(exchange, sink.json.bytes, true);
    else await this.#receive(sent, exchange, sink);
  }

  /** 2025 only: opens the long-lived stream for server-initiated messages and keeps it open; resolves when it is open or cannot be. */
  openServerStream(): Promise<void> {
    this.#serverStream?.abort(ABORTED);
    this.#serverStream = new AbortController();
    const { signal } = this.#serverStream;
    if (this.#closing.signal.aborted) this.#serverStream.abort(ABORTED);
    return new Promise((resolve) => {
      this.#keepServerStream(signal, resolve)
        .catch(() => {
          // The stream is optional: requests work without it.
        })
        .finally(resolve);
    });
  }

  async close(): Promise<void> {
    if (this.#closing.signal.aborted) return;
    this.#closing.abort(ABORTED);
    this.#serverStream?.abort(ABORTED);
    if (this.sessionId === undefined || this.keepsSession) return;
    const headers = this.#commonHeaders(false);
    this.sessionId = undefined;
    const signal = AbortSignal.timeout(LIMITS.terminateGraceMs);
    // Best effort: a server that cannot delete sessions answers 405, a dead one not at all.
    await this.#sender
      .send({ url: this.#url, method: 'DELETE', headers, signal }, () => new BufferSink(0, true))
      .catch(() => {});
  }

  /** The event stream that answers an exchange. */
  readonly #feedOf = (exchange: Exchange, lastEventId?: string): SseFeed =>
    new SseFeed({
      bytesMax: exchange.answerBytesMax,
      onEvent: (event) => this.#hand(exchange, event.data),
      lastEventId,
      restMs: (bytes) => this.restMs(bytes),
    });

  /** Passes a message on. If it answers another request, answers and requests are out of step: stops reusing the connections. */
  #hand(exchange: Exchange, bytes: Uint8Array, isLast = false): void {
    if (!exchange.onMessage(bytes, isLast)) this.#sender.retireConnections();
  }

  async #receive(sent: Sent, exchange: Exchange, sink: AnswerSink): Promise<void> {
    if (sink.unexpected !== undefined) {
      this.#sender.retireConnections();
      throw new UpstreamError('bad_answer', `the server answered with ${sink.unexpected || 'no media type'}`);
    }
    try {
      if (!sent.response.isComplete) await sent.response.ended;
    } catch (thrown) {
      if (exchange.answered()) return;
      if (!this.#canResume(sink) || isFinal(thrown) || exchange.signal.aborted) throw thrown;
    }
    if (sink.json !== undefined) this.#hand(exchange, sink.json.bytes, true);
    else if (!exchange.answered()) await this.#resume(exchange, sink);
  }

  /** Resumes a stream with `Last-Event-ID` until the answer arrives, each time after the server's retry interval. */
  async #resume(exchange: Exchange, first: AnswerSink): Promise<void> {
    let feed = first.feed;
    for (let idle = 0; !exchange.answered(); ) {
      if (feed?.lastEventId === undefined || !this.resumable || idle >= LIMITS.streamResumesMax) {
        throw new UpstreamError('lost', 'the stream ended before the answer came');
      }
      const pauseMs = Math.max(feed.retryMs ?? LIMITS.streamRetryMs, LIMITS.streamRetryMinMs);
      await sleep(pauseMs, undefined, { signal: abortSignalOf(exchange.signal) });
      const next: SseFeed = this.#feedOf(exchange, feed.lastEventId);
      next.retryMs = feed.retryMs;
      const sent = await this.#get(next, exchange.signal, feed.lastEventId);
      if (sent.status >= 300) throw this.#sender.errorOf(sent);
      await sent.response.ended.catch((thrown: unknown) => {
        if (isFinal(thrown)) throw thrown;
      });
      idle = next.fed ? 0 : idle + 1;
      feed = next;
    }
  }

  async #keepServerStream(signal: AbortSignal, onOpen: () => void): Promise<void> {
    let lastEventId: string | undefined;
    let retryMs: number | undefined;
    let isOffered = false;
    for (let failures = 0; !signal.aborted; ) {
      const feed: SseFeed = new SseFeed({
        bytesMax: LIMITS.messageBytesMax,
        onEvent: (event) => this.onMessage(event.data),
        lastEventId,
        restMs: (bytes) => this.restMs(bytes),
      });
      try {
        const sent = await this.#get(feed, signal, lastEventId);
        onOpen();
        if (sent.status === 404 && isOffered && this.sessionId !== undefined) return this.onSessionLost();
        // 405 and similar: the server offers no such stream. If the session is lost, the next request shows it.
        if (sent.status >= 300 && sent.status < 500) return;
        if (sent.status < 300) {
          isOffered = true;
          await sent.response.ended;
        }
      } catch (thrown) {
        if (isFinal(thrown)) throw thrown;
      }
      failures = feed.fed ? 0 : failures + 1;
      lastEventId = feed.lastEventId;
      retryMs = feed.retryMs ?? retryMs;
      // If streams bring no events, back off more than the server's retry interval.
      const backoffMs =
        failures <= 1 ? 0 : Math.min(LIMITS.streamRetryMs * 2 ** (failures - 2), LIMITS.streamRetryMaxMs);
      const pauseMs = Math.max(retryMs ?? LIMITS.streamRetryMs, backoffMs, LIMITS.streamRetryMinMs);
      await sleep(pauseMs, undefined, { signal, ref: false });
    }
  }

  #get(feed: SseFeed, signal: CancelSignal, lastEventId: string | undefined): Promise<Sent> {
    const headers = {
      accept: 'text/event-stream',
      ...this.#commonHeaders(false),
      ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }),
    };
    return this.#sender.send({ url: this.#url, method: 'GET', headers, signal }, (_status, responseHeaders) => {
      if (mediaType(responseHeaders) === 'text/event-stream') return feed;
      throw new UpstreamError('bad_answer', 'the server answered the stream request with something else');
    });
  }

  /** The headers of a message; the same object while version and session stay the same. */
  #messageHeaders(exchange: Exchange | undefined): Readonly<Record<string, string>> {
    const plain = { 'content-type': 'application/json', accept: ACCEPT };
    if (exchange?.beginsSession) return { ...plain, ...exchange.headers };
    const { protocolVersion, sessionId } = this;
    let usual = this.#usual;
    if (!usual || usual.protocolVersion !== protocolVersion || usual.sessionId !== sessionId) {
      usual = { protocolVersion, sessionId, headers: { ...plain, ...this.#commonHeaders(false) } };
      this.#usual = usual;
    }
    return exchange?.headers ? { ...usual.headers, ...exchange.headers } : usual.headers;
  }

  #commonHeaders(beginsSession: boolean): Record<string, string> {
    if (beginsSession) return {};
    return {
      ...(this.protocolVersion === undefined ? {} : { 'mcp-protocol-version': this.protocolVersion }),
      ...(this.sessionId === undefined ? {} : { 'mcp-session-id': this.sessionId }),
    };
  }

  #refuse(sent: Sent, exchange: Exchange | undefined, sessionId: string | undefined): void {
    if (sent.status === 404 && sessionId !== undefined) throw new SessionLost(sessionId);
    const isAnswer = exchange !== undefined && sent.status < 500 && ![401, 403, 429].includes(sent.status);
    if (isAnswer && readErrorBody(sent.errorBody) !== undefined) this.#hand(exchange, sent.errorBody);
    else throw this.#sender.errorOf(sent);
  }

  #canResume(sink: AnswerSink): boolean {
    return this.resumable && sink.feed?.lastEventId !== undefined;
  }
}

/** The server answered 404 to a session that it issued: a new session is needed. */
export class SessionLost extends UpstreamError {
  readonly sessionId: string;

  constructor(sessionId: string) {
    super('lost', 'the server no longer knows the session', { status: 404 });
    this.sessionId = sessionId;
  }
}

/** The body of an answer: JSON is buffered, an event stream is passed on message by message. */
class AnswerSink {
  json: BufferSink | undefined;
  feed: SseFeed | undefined;
  unexpected: string | undefined;
  readonly #exchange: Exchange;
  readonly #feedOf: (exchange: Exchange) => SseFeed;

  constructor(exchange: Exchange, feedOf: (exchange: Exchange) => SseFeed) {
    this.#exchange = exchange;
    this.#feedOf = feedOf;
  }

  choose(headers: HttpHeaders): BodySink {
    const type = mediaType(headers);
    // A challenged request is retried: only the last response counts.
    this.json = undefined;
    this.feed = undefined;
    if (type === 'application/json') {
      const { answerBytesMax } = this.#exchange;
      const announced = headerValue(headers, 'content-length');
      const length = announced === undefined ? undefined : Number(announced);
      if (length !== undefined && length > answerBytesMax) throw tooLarge(answerBytesMax);
      this.json = new BufferSink(answerBytesMax, false, length);
      return this.json;
    }
    if (type === 'text/event-stream') {
      this.feed = this.#feedOf(this.#exchange);
      return this.feed;
    }
    this.unexpected = type;
    return new BufferSink(0, true);
  }
}

function isFinal(thrown: unknown): boolean {
  return thrown instanceof UpstreamError && ['too_large', 'cancelled', 'auth', 'bad_answer'].includes(thrown.kind);
}
