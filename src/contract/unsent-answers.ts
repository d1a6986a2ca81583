import { LIMITS } from './limits.ts';

/** Why a connection was closed whose client does not read. */
export type UnreadReason =
  /** It took too long for what waits. */
  | 'deadline'
  /** Too much waits on this connection. */
  | 'connection_bytes'
  /** Too much waits on all connections, and this one has waited longest. */
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
 * Answers that were written and that their clients have not taken. They stay in memory until then, so they are bounded: on one
 * connection and on all together. Beyond it connections are closed, those that have waited longest first. One answer alone is never too
 * much for its connection.
 */
export class UnsentAnswers {
  readonly #limits: UnsentLimits;
  /** The oldest stands first. */
  readonly #waiting = new Set<Waiting>();
  readonly #byConnection = new Map<Connection, Set<Waiting>>();
  #bytes = 0;

  constructor(limits: UnsentLimits = LIMITS) {
    this.#limits = limits;
  }

  get waiting(): { readonly bytes: number; readonly answers: number } {
    return { bytes: this.#bytes, answers: this.#waiting.size };
  }

  /** Counts bytes that wait; the returned function is called when they were taken, or when their connection is gone. */
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

/** Those of this process: every edge that writes to clients shares its memory. */
export const unsentAnswers = new UnsentAnswers();
