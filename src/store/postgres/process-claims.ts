import { NODE_LIMITS } from './limits.ts';
import { IS_PRESENT } from './node-table.ts';
import type { Database } from './open-database.ts';

/** The node that runs a client's own process of a server. */
export interface ProcessOwner {
  readonly node: string;
  /** The address where other nodes reach it; null: none. */
  readonly url: string | null;
}

/** Records which node runs a client's own process of a stdio server. A process cannot move, so calls are routed to its node. */
export class ProcessClaims {
  readonly #database: Database;
  readonly #node: string;
  readonly #run: string;

  constructor(database: Database, node: string, run: string) {
    this.#database = database;
    this.#node = node;
    this.#run = run;
  }

  /** Makes this node the owner and returns undefined; returns the owner if that is another present node. */
  async claim(server: string, client: string): Promise<ProcessOwner | undefined> {
    const owner = await this.#owner(server, client);
    if (owner) return owner.node === this.#node ? undefined : owner;
    const mine = await this.#database.query(
      `INSERT INTO own_processes(server, client, node, run) VALUES ($1, $2, $3, $4)
       ON CONFLICT (server, client) DO UPDATE SET node = excluded.node, run = excluded.run, claimed_at = now()
       WHERE own_processes.node = excluded.node OR NOT EXISTS (
         SELECT 1 FROM nodes WHERE name = own_processes.node AND run = own_processes.run AND ${IS_PRESENT}
       ) RETURNING 1`,
      [server, client, this.#node, this.#run],
    );
    // Another node may have won the race.
    return mine.length > 0 ? undefined : this.#owner(server, client);
  }

  /** The process has ended; the next call starts one on the node it arrives at. */
  async release(server: string, client: string): Promise<void> {
    await this.#database.query('DELETE FROM own_processes WHERE server = $1 AND client = $2 AND node = $3', [
      server,
      client,
      this.#node,
    ]);
  }

  /** Deletes claims of clients whose sessions have expired. */
  async reclaim(): Promise<void> {
    await this.#database.query(
      `DELETE FROM own_processes WHERE claimed_at <= now() - interval '${NODE_LIMITS.upstreamSessionMs} milliseconds'`,
    );
  }

  async #owner(server: string, client: string): Promise<ProcessOwner | undefined> {
    const [owner] = await this.#database.query<ProcessOwner>(
      `SELECT nodes.name AS node, nodes.url FROM own_processes JOIN nodes ON nodes.name = node AND nodes.run = own_processes.run
       WHERE server = $1 AND client = $2 AND ${IS_PRESENT}`,
      [server, client],
    );
    return owner;
  }
}
