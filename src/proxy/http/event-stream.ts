import type { UnreadReason } from '../../contract/unsent-answers.ts';
import { PROXY_LIMITS } from '../limits.ts';
import { type EdgeResponse, whenClosed } from './edge-exchange.ts';
import { writeCounted } from './write-counted.ts';

const EVENT = Buffer.from('event: message\ndata: ');
const END = Buffer.from('\n\n');

/** Server-sent events to one client. A client that reads too slowly is disconnected, to bound memory. */
export class EventStream {
  readonly #response: EdgeResponse;
  readonly #keepAlive: NodeJS.Timeout;
  /** Messages of this turn of the event loop. One write sends them all. */
  #waiting: Uint8Array[] = [];
  #waitingBytes = 0;
  readonly #onUnread: ((reason: UnreadReason) => void) | undefined;

  constructor(
    response: EdgeResponse,
    headers: Readonly<Record<string, string>> = {},
    onUnread?: (reason: UnreadReason) => void,
  ) {
    this.#response = response;
    this.#onUnread = onUnread;
    response.writeHead(200, {
      'content-type': 'text/event-stream',
      'cache-control': 'no-cache, no-transform',
      'x-accel-buffering': 'no',
      ...headers,
    });
    response.flushHeaders();
    this.#keepAlive = setInterval(() => {
      // An ended stream stays open until its client has read the rest.
      if (!response.writableEnded) response.write(': keep-alive\n\n');
    }, PROXY_LIMITS.streamKeepAliveMs);
    this.#keepAlive.unref();
    whenClosed(response, () => clearInterval(this.#keepAlive));
  }

  send(message: Uint8Array): void {
    if (this.#response.destroyed || this.#response.writableEnded) return;
    if (this.#waiting.length === 0) process.nextTick(() => this.#flush());
    // The message itself does not count: an answer may be larger than the buffer limit.
    if (this.#response.writableLength + this.#waitingBytes > PROXY_LIMITS.streamBufferBytesMax) {
      this.#response.destroy();
      this.#onUnread?.('connection_bytes');
      return;
    }
    this.#waiting.push(EVENT, message, END);
    this.#waitingBytes += message.length;
  }

  #flush(): void {
    if (this.#waiting.length === 0 || this.#response.destroyed || this.#response.writableEnded) return;
    const bytes = Buffer.concat(this.#waiting);
    this.#waiting = [];
    this.#waitingBytes = 0;
    const onUnread = this.#onUnread;
    writeCounted(this.#response, bytes, onUnread && ((reason) => onUnread(reason)));
  }

  end(): void {
    clearInterval(this.#keepAlive);
    this.#flush();
    if (!this.#response.writableEnded) this.#response.end();
  }

  onClose(listener: () => void): void {
    whenClosed(this.#response, listener);
  }
}
