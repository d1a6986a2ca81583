import { createHash } from 'node:crypto';
import { NODE_LIMITS } from './limits.ts';
import { IS_PRESENT } from './node-table.ts';
import type { Database } from './open-database.ts';
import { CoalescedRuns } from './shared/coalesced-runs.ts';

const INSERT = 'WITH sent AS (INSERT INTO node_messages(node, body, expires_at)';
const EXPIRES_AT = `now() + interval '${NODE_LIMITS.messageMs} milliseconds'`;
const INSERT_WHERE = `${INSERT} SELECT name, $1, ${EXPIRES_AT} FROM nodes WHERE ${IS_PRESENT} AND`;
const NOTIFY = `RETURNING node, id
) SELECT pg_notify('bindery_' || left(encode(sha256(convert_to(node, 'UTF8')), 'hex'), 24), id::text) FROM sent`;

/**
 * Messages between nodes: a row per message and receiver. A notification is limited in length, so it carries only the row's id. The
 * receiver deletes each row it takes: no message is processed twice, and those sent during a disconnect are still there.
 */
export class NodeMessages {
  /** Messages expire after this time. */
  readonly keptMs = NODE_LIMITS.messageMs;
  readonly #database: Database;
  readonly #node: string;
  readonly #takes = new CoalescedRuns(() => this.#takeAll());
  #onMessage: ((message: object) => void) | undefined;

  constructor(database: Database, node: string) {
    this.#database = database;
    this.#node = node;
  }

  /** False if the node is gone. */
  async send(node: string, message: object): Promise<boolean> {
    const sent = await this.#database.query(`${INSERT_WHERE} name = $2 ${NOTIFY}`, [JSON.stringify(message), node]);
    return sent.length > 0;
  }

  /** Sends even if the receiver seems gone: it may only be disconnected, and takes the message later. */
  async reply(node: string, message: object): Promise<void> {
    await this.#database.query(`${INSERT} VALUES ($2, $1, ${EXPIRES_AT}) ${NOTIFY}`, [JSON.stringify(message), node]);
  }

  /** Sends to every other node. */
  async tell(message: object): Promise<void> {
    await this.#database.query(`${INSERT_WHERE} name <> $2 ${NOTIFY}`, [JSON.stringify(message), this.#node]);
  }

  /** Resolves when messages can be sent again. */
  whenReachable(): Promise<void> {
    return this.#database.whenReachable();
  }

  /** Delivers messages to this node in the order they were sent. Returns a function that stops it. */
  receive(onMessage: (message: object) => void, onError: (error: unknown) => void): () => void {
    // Messages are taken in batches: one that fails must not lose the rest.
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

  /** Takes all messages. Call it again after a failure: the notification is not repeated. */
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

  /** Returns how many it took. */
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

/** A node's name may be longer than a channel name can be. */
function channelOf(node: string): string {
  return `bindery_${createHash('sha256').update(node).digest('hex').slice(0, 24)}`;
}
