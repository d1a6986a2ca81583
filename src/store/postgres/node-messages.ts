import { createHash } from 'node:crypto';
import { NODE_LIMITS } from './limits.ts';
import { IS_PRESENT } from './node-table.ts';
import type { Database } from './open-database.ts';
import { Latest } from './shared/latest.ts';

const INSERT = 'WITH sent AS (INSERT INTO node_messages(node, body, expires_at)';
const EXPIRES_AT = `now() + interval '${NODE_LIMITS.messageMs} milliseconds'`;
const INSERT_WHERE = `${INSERT} SELECT name, $1, ${EXPIRES_AT} FROM nodes WHERE ${IS_PRESENT} AND`;
const NOTIFY = `RETURNING node, id
) SELECT pg_notify('bindery_' || left(encode(sha256(convert_to(node, 'UTF8')), 'hex'), 24), id::text) FROM sent`;

/**
 * What nodes tell each other: a row per message and receiver. A notification carries the number of the row and nothing else,
 * since its length is limited; whoever takes a row removes it, so nothing is heard twice, and what was notified during a cut is
 * there afterwards.
 */
export class NodeMessages {
  /** Messages expire after this time. */
  readonly keptMs = NODE_LIMITS.messageMs;
  readonly #database: Database;
  readonly #node: string;
  readonly #takes = new Latest(() => this.#takeAll());
  #onMessage: ((message: object) => void) | undefined;

  constructor(database: Database, node: string) {
    this.#database = database;
    this.#node = node;
  }

  /** False where the node is gone. */
  async send(node: string, message: object): Promise<boolean> {
    const sent = await this.#database.query(`${INSERT_WHERE} name = $2 ${NOTIFY}`, [JSON.stringify(message), node]);
    return sent.length > 0;
  }

  /** Sends to a node that waits for it, also where that seems to be gone: it may only be cut off, and takes it afterwards. */
  async reply(node: string, message: object): Promise<void> {
    await this.#database.query(`${INSERT} VALUES ($2, $1, ${EXPIRES_AT}) ${NOTIFY}`, [JSON.stringify(message), node]);
  }

  /** Tells every other node. */
  async tell(message: object): Promise<void> {
    await this.#database.query(`${INSERT_WHERE} name <> $2 ${NOTIFY}`, [JSON.stringify(message), this.#node]);
  }

  /** Resolves when messages can be sent again. */
  whenReachable(): Promise<void> {
    return this.#database.whenReachable();
  }

  /** Hands over what is sent to this node, in the order in which it was sent. Returns how to stop. */
  receive(onMessage: (message: object) => void, onError: (error: unknown) => void): () => void {
    // They are taken together: one that fails must not lose those after it.
    this.#onMessage = (message) => {
      try {
        onMessage(message);
      } catch (error) {
        onError(error);
      }
    };
    const take = () => void this.take().catch(onError);
    return this.#database.listen(channelOf(this.#node), { onPayload: take, onConnected: take });
  }

  /** Takes what is there: a notification comes once, and what failed then is not asked for again by anyone else. */
  take(): Promise<void> {
    return this.#takes.run();
  }

  /** Removes expired messages. */
  async reclaim(): Promise<void> {
    await this.#database.query('DELETE FROM node_messages WHERE expires_at <= now()');
  }

  async #takeAll(): Promise<void> {
    while ((await this.#takeSome()) === NODE_LIMITS.takenMax);
  }

  /** Gives how many there were. */
  async #takeSome(): Promise<number> {
    const rows = await this.#database.query<{ id: number; body: string; in_time: boolean }>(
      `DELETE FROM node_messages WHERE id IN (
           SELECT id FROM node_messages WHERE node = $1 ORDER BY id LIMIT ${NODE_LIMITS.takenMax} FOR UPDATE SKIP LOCKED
         ) RETURNING id, body, expires_at > now() AS in_time`,
      [this.#node],
    );
    for (const { body, in_time } of rows.sort((one, other) => one.id - other.id))
      if (in_time) this.#onMessage?.(JSON.parse(body) as object);
    return rows.length;
  }
}

/** The name of a node may be longer than that of a channel can be. */
function channelOf(node: string): string {
  return `bindery_${createHash('sha256').update(node).digest('hex').slice(0, 24)}`;
}
