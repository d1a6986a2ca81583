import { createHash } from 'node:crypto';
import { NODE_LIMITS } from './limits.ts';
import { IS_PRESENT } from './node-table.ts';
import type { Database } from './open-database.ts';

const INSERT = `WITH sent AS (
  INSERT INTO node_messages(node, body, expires_at)
  SELECT name, $1, now() + interval '${NODE_LIMITS.messageMs} milliseconds' FROM nodes WHERE ${IS_PRESENT} AND`;
const NOTIFY = `RETURNING node, id
) SELECT pg_notify('bindery_' || left(encode(sha256(convert_to(node, 'UTF8')), 'hex'), 24), id::text) FROM sent`;

/**
 * What nodes tell each other: a row per message and receiver. A notification carries the number of the row and nothing else,
 * since its length is limited; whoever takes a row removes it, so nothing is heard twice, and what was notified during a cut is
 * there afterwards.
 */
export class NodeMessages {
  readonly #database: Database;
  readonly #node: string;
  #isTaking = false;
  #isMore = false;

  constructor(database: Database, node: string) {
    this.#database = database;
    this.#node = node;
  }

  /** False where the node is gone. */
  async send(node: string, message: object): Promise<boolean> {
    const sent = await this.#database.query(`${INSERT} name = $2 ${NOTIFY}`, [JSON.stringify(message), node]);
    return sent.length > 0;
  }

  /** Tells every other node. */
  async tell(message: object): Promise<void> {
    await this.#database.query(`${INSERT} name <> $2 ${NOTIFY}`, [JSON.stringify(message), this.#node]);
  }

  /** Hands over what is sent to this node, in the order in which it was sent. Returns how to stop. */
  receive(onMessage: (message: object) => void, onError: (error: unknown) => void): () => void {
    const take = () => {
      this.#isMore = true;
      if (!this.#isTaking) this.#takeAll(onMessage).catch(onError);
    };
    return this.#database.listen(channelOf(this.#node), { onPayload: take, onConnected: take });
  }

  /** Removes what nobody took in time. */
  async reclaim(): Promise<void> {
    await this.#database.query('DELETE FROM node_messages WHERE expires_at <= now()');
  }

  async #takeAll(onMessage: (message: object) => void): Promise<void> {
    this.#isTaking = true;
    try {
      while (this.#isMore) await this.#takeSome(onMessage);
    } finally {
      this.#isTaking = false;
    }
  }

  async #takeSome(onMessage: (message: object) => void): Promise<void> {
    this.#isMore = false;
    const rows = await this.#database.query<{ id: number; body: string; in_time: boolean }>(
      `DELETE FROM node_messages WHERE id IN (
           SELECT id FROM node_messages WHERE node = $1 ORDER BY id LIMIT ${NODE_LIMITS.takenMax} FOR UPDATE SKIP LOCKED
         ) RETURNING id, body, expires_at > now() AS in_time`,
      [this.#node],
    );
    if (rows.length === NODE_LIMITS.takenMax) this.#isMore = true;
    for (const { body, in_time } of rows.sort((one, other) => one.id - other.id))
      if (in_time) onMessage(JSON.parse(body) as object);
  }
}

/** The name of a node may be longer than that of a channel can be. */
function channelOf(node: string): string {
  return `bindery_${createHash('sha256').update(node).digest('hex').slice(0, 24)}`;
}
