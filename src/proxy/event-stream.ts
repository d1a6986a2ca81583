import type { ServerResponse } from 'node:http';
import { PROXY_LIMITS } from './limits.ts';

const EVENT = Buffer.from('event: message\ndata: ');
const END = Buffer.from('\n\n');

/** Server-sent events to one client. A client that reads too slowly is let go rather than kept in memory. */
export class EventStream {
  readonly #response: ServerResponse;
  readonly #keepAlive: NodeJS.Timeout;

  constructor(response: ServerResponse, headers: Readonly<Record<string, string>> = {}) {
    this.#response = response;
    response.writeHead(200, {
      'content-type': 'text/event-stream',
      'cache-control': 'no-cache, no-transform',
      'x-accel-buffering': 'no',
      ...headers,
    });
    response.flushHeaders();
    this.#keepAlive = setInterval(() => response.write(': keep-alive\n\n'), PROXY_LIMITS.streamKeepAliveMs);
    this.#keepAlive.unref();
    response.once('close', () => clearInterval(this.#keepAlive));
  }

  send(message: Uint8Array): void {
    if (this.#response.destroyed || this.#response.writableEnded) return;
    this.#response.write(Buffer.concat([EVENT, message, END]));
    if (this.#response.writableLength > PROXY_LIMITS.streamBufferBytesMax) this.#response.destroy();
  }

  end(): void {
    clearInterval(this.#keepAlive);
    if (!this.#response.writableEnded) this.#response.end();
  }

  onClose(listener: () => void): void {
    this.#response.once('close', listener);
  }
}
