import type { IncomingHttpHeaders, Server } from 'node:http';
import type { Socket } from 'node:net';
import type { EdgeHead, EdgeResponse } from '../http/edge-exchange.ts';
import { PacedRequests } from '../http/paced-requests.ts';
import { PROXY_LIMITS } from '../limits.ts';
import { type PlainHead, readPlainHead } from './plain-head.ts';
import { type PlainPlace, PlainResponse } from './plain-response.ts';

/** A POST that arrived in one piece. */
export interface PlainPost extends EdgeHead {
  readonly body: Uint8Array;
}

type Serve = (post: PlainPost, response: EdgeResponse, url: string) => void;

/**
 * Serves the most common requests on bare sockets: complete POSTs in one chunk, one after the other. If anything else arrives, the
 * connection and the received bytes go to Node's server and stay there, so no two parsers read the same request. No partial request is
 * kept here, and Node's own limits apply to slow or unusual senders.
 */
export class PlainPosts {
  readonly #connections = new Set<PlainConnection>();
  #isClosing = false;

  constructor(server: Server, serve: Serve) {
    const [toNode] = server.listeners('connection') as ((socket: Socket) => void)[];
    if (!toNode) throw new Error('the server takes no connections');
    server.removeAllListeners('connection');
    const paced = new PacedRequests(server);
    server.on('connection', (socket: Socket) => {
      const connection = new PlainConnection(socket, {
        serve,
        keepAliveMs: server.keepAliveTimeout,
        isClosing: () => this.#isClosing,
        onGone: () => this.#connections.delete(connection),
        handOver: (chunk) => {
          this.#connections.delete(connection);
          toNode.call(server, socket);
          const taken = paced.take(socket);
          if (chunk.length > 0) taken.pass(chunk);
        },
      });
      this.#connections.add(connection);
    });
  }

  /** Graceful shutdown: ends idle connections now, and busy ones after their response. */
  close(): void {
    this.#isClosing = true;
    for (const connection of this.#connections) connection.endIfIdle();
  }

  destroy(): void {
    for (const connection of this.#connections) connection.socket.destroy();
  }
}

interface ConnectionPorts {
  readonly serve: Serve;
  readonly keepAliveMs: number;
  isClosing(): boolean;
  onGone(): void;
  handOver(chunk: Buffer): void;
}

class PlainConnection implements PlainPlace {
  readonly socket: Socket;
  readonly #ports: ConnectionPorts;
  /** The last head: clients repeat the same head. */
  #head: PlainHead | undefined;
  #response: PlainResponse | undefined;
  /** Bytes that arrived while a response was still running. */
  #early: Buffer[] = [];
  /** How many chunks have arrived. */
  #pieces = 0;

  constructor(socket: Socket, ports: ConnectionPorts) {
    this.socket = socket;
    this.#ports = ports;
    socket.on('data', this.#onData);
    socket.on('end', this.#onEnd);
    socket.on('timeout', this.#onTimeout);
    socket.on('close', this.#onClose);
    socket.on('error', onError);
    socket.setTimeout(ports.keepAliveMs + PROXY_LIMITS.keepAliveGraceMs);
  }

  connectionFields(): string {
    if (this.#ports.isClosing()) return 'Connection: close\r\n';
    return `Connection: keep-alive\r\nKeep-Alive: timeout=${Math.floor(this.#ports.keepAliveMs / 1_000)}\r\n`;
  }

  onEnded(): void {
    this.#response = undefined;
    if (this.#ports.isClosing()) this.socket.end();
    else if (this.#early.length > 0) this.#handOver(Buffer.concat(this.#early));
    else if (this.socket.writableLength > PROXY_LIMITS.unsentBeforeNextBytesMax) this.#waitForReader();
  }

  /** Backpressure: reads no further request until the socket drains. */
  #waitForReader(): void {
    this.socket.pause();
    this.socket.once('drain', () => this.socket.resume());
  }

  endIfIdle(): void {
    if (!this.#response) this.socket.end();
  }

  readonly #onData = (chunk: Buffer): void => {
    this.#pieces += 1;
    if (this.#response) {
      this.#early.push(chunk);
      this.socket.pause();
      return;
    }
    const head = this.#headOf(chunk);
    if (head?.bodyLength !== chunk.length - (head?.bytes.length ?? 0)) {
      this.#handOver(chunk);
      return;
    }
    this.#response = new PlainResponse(this);
    const { url, headers, bytes } = head;
    this.#ports.serve(new Post(headers, chunk.subarray(bytes.length), this.socket), this.#response, url);
  };

  #headOf(chunk: Buffer): PlainHead | undefined {
    const length = this.#head?.bytes.length ?? 0;
    const isSame = this.#head && chunk.length >= length && this.#head.bytes.compare(chunk, 0, length) === 0;
    if (!isSame) this.#head = readPlainHead(chunk);
    return this.#head;
  }

  #handOver(chunk: Buffer): void {
    const { socket } = this;
    socket.off('data', this.#onData);
    socket.off('end', this.#onEnd);
    socket.off('timeout', this.#onTimeout);
    socket.off('close', this.#onClose);
    socket.off('error', onError);
    socket.setTimeout(0);
    this.#ports.handOver(chunk);
    socket.resume();
  }

  /** Half-close: ends our side too, as Node does. */
  readonly #onEnd = (): void => {
    this.socket.end();
  };

  readonly #onTimeout = (): void => {
    if (this.#response) return;
    // Nothing arrived at all: Node's own timeout applies.
    if (this.#head === undefined) {
      this.#handOver(Buffer.alloc(0));
      return;
    }
    // Data that arrived while the event loop was blocked is read first.
    const pieces = this.#pieces;
    setImmediate(() => {
      if (this.#pieces === pieces) this.socket.destroy();
    });
  };

  readonly #onClose = (): void => {
    this.#ports.onGone();
    this.#response?.closed();
  };
}

/** A class, so that all posts have one hidden class in V8. */
class Post implements PlainPost {
  readonly method = 'POST';
  readonly headers: IncomingHttpHeaders;
  readonly body: Uint8Array;
  readonly socket: Socket;

  constructor(headers: IncomingHttpHeaders, body: Uint8Array, socket: Socket) {
    this.headers = headers;
    this.body = body;
    this.socket = socket;
  }
}

/** The `close` event follows and handles it. */
function onError(): void {}
