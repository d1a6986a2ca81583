import type { SseEvent } from '../../wire/sse-parser.ts';
import { UpstreamError } from '../../wire/upstream.ts';
import { CONNECTION_LIMITS as LIMITS } from '../connection/limits.ts';
import { BufferSink, mediaType } from './http-exchange.ts';
import type { HttpSender } from './http-sender.ts';
import { SseFeed } from './sse-feed.ts';
import type { Exchange, Transport } from './transport.ts';

/** HTTP+SSE of revision 2024-11-05: one long-lived stream, whose first event names the URL to POST to. */
export class LegacySseTransport implements Transport {
  readonly kind = 'sse';
  readonly answersOnOwnStream = false;
  onMessage: Transport['onMessage'] = () => {};
  onOversized: Transport['onOversized'] = () => false;
  onClose: Transport['onClose'] = () => {};
  restMs: Transport['restMs'] = () => 0;
  readonly #url: URL;
  readonly #sender: HttpSender;
  readonly #closing = new AbortController();
  #endpoint: URL | undefined;

  constructor(url: URL, sender: HttpSender) {
    this.#url = url;
    this.#sender = sender;
  }

  /** Until the server has named that URL, the signal also ends the stream. */
  async start(signal: AbortSignal): Promise<void> {
    const giveUp = () => this.#closing.abort();
    signal.addEventListener('abort', giveUp, { once: true });
    if (signal.aborted) giveUp();
    try {
      await this.#open();
    } finally {
      signal.removeEventListener('abort', giveUp);
    }
  }

  async #open(): Promise<void> {
    let announce: (endpoint: string) => void = () => {};
    const announced = new Promise<string>((resolve) => {
      announce = resolve;
    });
    const onEvent = (event: SseEvent) => {
      if (event.type === 'endpoint') announce(Buffer.from(event.data).toString('utf8'));
      else this.onMessage(event.data);
    };
    const feed = new SseFeed({ bytesMax: LIMITS.messageBytesMax, onEvent, restMs: (bytes) => this.restMs(bytes) });
    const sent = await this.#sender.send(
      { url: this.#url, method: 'GET', headers: { accept: 'text/event-stream' }, signal: this.#closing.signal },
      (_status, headers) => {
        if (mediaType(headers) === 'text/event-stream') return feed;
        throw new UpstreamError('bad_answer', 'the server offers no event stream');
      },
    );
    if (sent.status >= 300) throw this.#sender.errorOf(sent);
    const ended = sent.response.ended.then(
      () => new UpstreamError('lost', 'the server ended its event stream'),
      (thrown: unknown) =>
        thrown instanceof UpstreamError ? thrown : new UpstreamError('lost', 'the event stream broke'),
    );
    const endpoint = await Promise.race([announced, ended]);
    if (typeof endpoint !== 'string') throw endpoint;
    this.#endpoint = this.#sameOrigin(endpoint);
    ended.then((error) => {
      if (!this.#closing.signal.aborted) this.onClose(error);
    });
  }

  async send(bytes: Uint8Array, exchange?: Exchange): Promise<void> {
    if (this.#endpoint === undefined) throw new UpstreamError('lost', 'the event stream is not open');
    const signal = exchange?.signal ?? this.#closing.signal;
    const headers = { 'content-type': 'application/json' };
    const sent = await this.#sender.send(
      {
        url: this.#endpoint,
        method: 'POST',
        headers,
        body: bytes,
        signal,
        ...(exchange === undefined ? {} : { whileWaiting: exchange.whileWaiting }),
      },
      () => new BufferSink(0, true),
    );
    if (sent.status >= 300) throw this.#sender.errorOf(sent);
  }

  async close(): Promise<void> {
    this.#closing.abort();
  }

  /** The server may choose the path, but never another host, which would get our token. */
  #sameOrigin(endpoint: string): URL {
    const url = URL.parse(endpoint, this.#url.href);
    if (url?.origin === this.#url.origin) return url;
    this.#closing.abort();
    throw new UpstreamError('unsupported', 'the server names an endpoint at another origin');
  }
}
