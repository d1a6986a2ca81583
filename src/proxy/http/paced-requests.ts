import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { PROXY_LIMITS } from '../limits.ts';

/**
 * Passes pipelined requests to Node's server one by one. Node's parser would process everything that it read from one connection
 * before any other connection gets a turn. Here connections take turns, with a few requests in each turn of the event loop.
 * Backpressure: a connection with too many unanswered requests is not read until some are answered.
 */
export class PacedRequests {
  readonly #connections = new WeakMap<Socket, PacedConnection>();
  readonly #waiting = new Set<PacedConnection>();
  #isDue = false;

  constructor(server: Server) {
    server.prependListener('request', ({ socket }, response: ServerResponse) => {
      this.#connections.get(socket)?.begin(response);
    });
  }

  /** Paces a connection that Node's server owns. */
  take(socket: Socket): PacedConnection {
    const connection = new PacedConnection(socket, () => this.#wait(connection));
    this.#connections.set(socket, connection);
    return connection;
  }

  #wait(connection: PacedConnection): void {
    this.#waiting.add(connection);
    if (this.#isDue) return;
    this.#isDue = true;
    setImmediate(this.#takeTurns);
  }

  /** A connection with more requests goes to the end of the line. */
  readonly #takeTurns = (): void => {
    this.#isDue = false;
    let left = Math.min(this.#waiting.size, PROXY_LIMITS.pipelinedPerTurnMax);
    for (const connection of this.#waiting) {
      if (left === 0) {
        this.#wait(connection);
        return;
      }
      left -= 1;
      this.#waiting.delete(connection);
      connection.passNext();
    }
  };
}

const HEAD_END = '\r\n\r\n';
const READ_BYTES = 64 * 1024;

/** Paces all connections of a server that owns them from the start. */
export function paceRequests(server: Server): void {
  const paced = new PacedRequests(server);
  server.on('connection', (socket: Socket) => paced.take(socket));
}

/** Passes a socket's bytes on in pieces that begin at most one request. */
class PacedConnection {
  readonly #socket: Socket;
  readonly #wait: () => void;
  readonly #push: (chunk: Buffer | null) => boolean;
  readonly #read: (size: number) => void;
  /** Bytes not passed on yet. The socket is not read while there are any. */
  #held: Buffer | undefined;
  /** The client has half-closed the connection after the held bytes. */
  #isEnded = false;
  #unanswered = 0;

  constructor(socket: Socket, wait: () => void) {
    this.#socket = socket;
    this.#wait = wait;
    this.#push = socket.push.bind(socket);
    this.#read = socket._read.bind(socket);
    socket.push = (chunk: Buffer | null) => this.pass(chunk);
    socket._read = (size) => {
      if (this.#held === undefined) this.#read(size);
      else this.#wait();
    };
    // Node's parser bypasses the stream unless there is another listener.
    socket.on('data', ignore);
  }

  /** Passes on one request, or a part of one, at once; the rest waits for its turn. */
  pass(chunk: Buffer | null): boolean {
    if (this.#held === undefined && (chunk === null || (!beginsSeveral(chunk) && !this.#isFull()))) {
      return this.#push(chunk);
    }
    if (chunk === null) this.#isEnded = true;
    else this.#held = this.#held ? Buffer.concat([this.#held, chunk]) : chunk;
    this.#wait();
    return false;
  }

  begin(response: ServerResponse): void {
    this.#unanswered += 1;
    response.once('close', () => {
      this.#unanswered -= 1;
      if (this.#held !== undefined) this.#wait();
    });
  }

  passNext(): void {
    const held = this.#held;
    if (held === undefined || this.#isFull() || this.#socket.readableLength > 0) return;
    if (this.#socket.destroyed) {
      this.#held = undefined;
      return;
    }
    const end = firstEnd(held);
    this.#held = end < held.length ? held.subarray(end) : undefined;
    this.#push(held.subarray(0, end));
    if (this.#held !== undefined) this.#wait();
    else if (this.#isEnded) this.#push(null);
    else this.#read(READ_BYTES);
  }

  #isFull(): boolean {
    return this.#unanswered >= PROXY_LIMITS.pipelinedMax;
  }
}

/** Where the first header block ends. If a body contains the same bytes, it is only split once more, which does no harm. */
function firstEnd(bytes: Buffer): number {
  const at = bytes.indexOf(HEAD_END, 0, 'latin1');
  return at < 0 ? bytes.length : at + HEAD_END.length;
}

function beginsSeveral(bytes: Buffer): boolean {
  const end = firstEnd(bytes);
  return end < bytes.length && bytes.indexOf(HEAD_END, end, 'latin1') >= 0;
}

function ignore(): void {}
