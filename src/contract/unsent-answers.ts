import { LIMITS } from './limits.ts';

/** Why the connection of a client that does not read was closed. */
export type UnreadReason =
  /** The client did not read in time. */
  | 'deadline'
  /** Too many bytes wait on this connection. */
  | 'connection_bytes'
  /** Too many bytes wait on all connections, and this one has waited longest. */
  | 'all_bytes';

export interface UnsentLimits {
  readonly unsentBytesPerConnectionMax: number;
  readonly unsentBytesMax: number;
}

/** A connection to a client. */
interface Connection {
  destroy(): unknown;
}

interface Waiting {
  readonly connection: Connection;
  readonly bytes: number;
  readonly onUnread: ((reason: UnreadReason) => void) | undefined;
}

/**
 * Written answers that clients have not read yet. They stay in memory until then, so they are limited per connection and in
 * total. Above a limit, connections are closed, those that have waited longest first. A single answer never exceeds the limit of its
 * connection.
 */
export class UnsentAnswers {
  readonly #limits: UnsentLimits;
  /** Oldest first. */
  readonly #waiting = new Set<Waiting>();
  readonly #byConnection = new Map<Connection, Set<Waiting>>();
  #bytes = 0;

  constructor(limits: UnsentLimits = LIMITS) {
    this.#limits = limits;
  }

  get waiting(): { readonly bytes: number; readonly answers: number } {
    return { bytes: this.#bytes, answers: this.#waiting.size };
  }

  /** Counts waiting bytes; call the returned function when the client has read them, or when the connection is gone. */
  add(connection: Connection, bytes: number, onUnread?: (reason: UnreadReason) => void): () => void {
    const added: Waiting = { connection, bytes, onUnread };
    const beside = this.#byConnection.get(connection) ?? new Set();
    this.#byConnection.set(connection, beside.add(added));
    this.#waiting.add(added);
    this.#bytes += bytes;
    const { unsentBytesPerConnectionMax, unsentBytesMax } = this.#limits;
    if (beside.size > 1 && sumOf(beside) > unsentBytesPerConnectionMax) this.giveUp(connection, 'connection_bytes');
    for (const oldest of this.#waiting) {
      if (this.#bytes <= unsentBytesMax) break;
      this.giveUp(oldest.connection, 'all_bytes');
    }
    return () => this.#release(added);
  }

  /** Closes a connection whose client does not read. */
  giveUp(connection: Connection, reason: UnreadReason): void {
    const unread = [...(this.#byConnection.get(connection) ?? [])];
    for (const answer of unread) this.#release(answer);
    connection.destroy();
    for (const { onUnread } of unread) onUnread?.(reason);
  }

  #release(answer: Waiting): void {
    if (!this.#waiting.delete(answer)) return;
    this.#bytes -= answer.bytes;
    const beside = this.#byConnection.get(answer.connection);
    beside?.delete(answer);
    if (beside?.size === 0) this.#byConnection.delete(answer.connection);
  }
}

function sumOf(answers: Iterable<Waiting>): number {
  let sum = 0;
  for (const { bytes } of answers) sum += bytes;
  return sum;
}

/** The unsent answers of this process: all edges that write to clients share this limit. */
export const unsentAnswers = new UnsentAnswers();
