import { NODE_LIMITS } from './limits.ts';
import type { Database } from './open-database.ts';

/** The nodes that share the database, and the addresses where other nodes reach them. */
export class NodeTable {
  readonly #database: Database;
  /** The name of this node, and the id of this run. */
  readonly #name: string;
  readonly #run: string;
  readonly #url: string | undefined;

  constructor(database: Database, { name, run, url }: { name: string; run: string; url: string | undefined }) {
    this.#database = database;
    this.#name = name;
    this.#run = run;
    this.#url = url;
  }

  /** Adds this node; deletes messages and claims of its earlier runs. */
  async join(): Promise<void> {
    await this.#database.transaction(async (query) => {
      await query(
        `INSERT INTO nodes(name, run, url, seen_at) VALUES ($1, $2, $3, now())
         ON CONFLICT (name) DO UPDATE SET run = excluded.run, url = excluded.url, seen_at = now()`,
        [this.#name, this.#run, this.#url ?? null],
      );
      await query('DELETE FROM node_messages WHERE node = $1', [this.#name]);
      await query('DELETE FROM own_processes WHERE node = $1', [this.#name]);
    });
  }

  /** Heartbeat; false if another process has taken this node's name. */
  async beat(): Promise<boolean> {
    const mine = await this.#database.query(
      `INSERT INTO nodes(name, run, url, seen_at) VALUES ($1, $2, $3, now())
       ON CONFLICT (name) DO UPDATE SET seen_at = now() WHERE nodes.run = excluded.run RETURNING 1`,
      [this.#name, this.#run, this.#url ?? null],
    );
    return mine.length > 0;
  }

  /** Withdraws the address, so that other nodes route no calls here; the node stays present for work that still waits. */
  async hide(): Promise<void> {
    await this.#database.query('UPDATE nodes SET url = NULL WHERE name = $1 AND run = $2', [this.#name, this.#run]);
  }

  async leave(): Promise<void> {
    await this.#database.query('DELETE FROM nodes WHERE name = $1 AND run = $2', [this.#name, this.#run]);
    await this.#database.query('DELETE FROM own_processes WHERE node = $1 AND run = $2', [this.#name, this.#run]);
  }

  /** Every node that did not leave on purpose, by name. */
  async list(): Promise<{ name: string; url: string | null; seen_at: Date; present: boolean }[]> {
    return this.#database.query(`SELECT name, url, seen_at, ${IS_PRESENT} AS present FROM nodes ORDER BY name`);
  }

  /** Those of the given nodes that are present. */
  async present(names: readonly string[]): Promise<string[]> {
    const rows = await this.#database.query<{ name: string }>(
      `SELECT name FROM nodes WHERE name = ANY($1) AND ${IS_PRESENT}`,
      [names],
    );
    return rows.map(({ name }) => name);
  }
}

/** SQL condition on a row of `nodes`. Only the clock of the database is used, so node clocks may differ. */
export const IS_PRESENT = `nodes.seen_at > now() - interval '${NODE_LIMITS.goneAfterMs} milliseconds'`;
