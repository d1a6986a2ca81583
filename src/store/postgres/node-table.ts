import { NODE_LIMITS } from './limits.ts';
import type { Database } from './open-database.ts';

/** Which nodes share the database, and where other nodes reach them. */
export class NodeTable {
  readonly #database: Database;
  /** The name of this node, and which run of it this is. */
  readonly #name: string;
  readonly #run: string;
  readonly #url: string | undefined;

  constructor(database: Database, { name, run, url }: { name: string; run: string; url: string | undefined }) {
    this.#database = database;
    this.#name = name;
    this.#run = run;
    this.#url = url;
  }

  /** This node is there; what was sent to a run before this one is gone with it. */
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

  /** Says that this node is still there; false where another process has taken its name. */
  async beat(): Promise<boolean> {
    const mine = await this.#database.query(
      `INSERT INTO nodes(name, run, url, seen_at) VALUES ($1, $2, $3, now())
       ON CONFLICT (name) DO UPDATE SET seen_at = now() WHERE nodes.run = excluded.run RETURNING 1`,
      [this.#name, this.#run, this.#url ?? null],
    );
    return mine.length > 0;
  }

  /** Still there, for what waits here; but other nodes do not reach it. */
  async hide(): Promise<void> {
    await this.#database.query('UPDATE nodes SET url = NULL WHERE name = $1 AND run = $2', [this.#name, this.#run]);
  }

  async leave(): Promise<void> {
    await this.#database.query('DELETE FROM nodes WHERE name = $1 AND run = $2', [this.#name, this.#run]);
    await this.#database.query('DELETE FROM own_processes WHERE node = $1 AND run = $2', [this.#name, this.#run]);
  }

  /** Every node that did not leave by itself, by name. */
  async list(): Promise<{ name: string; url: string | null; seen_at: Date; present: boolean }[]> {
    return this.#database.query(`SELECT name, url, seen_at, ${IS_PRESENT} AS present FROM nodes ORDER BY name`);
  }

  /** Of some nodes, those that are there. */
  async present(names: readonly string[]): Promise<string[]> {
    const rows = await this.#database.query<{ name: string }>(
      `SELECT name FROM nodes WHERE name = ANY($1) AND ${IS_PRESENT}`,
      [names],
    );
    return rows.map(({ name }) => name);
  }
}

/** As SQL about a row of `nodes`; times are those of the database, so that no two clocks are compared. */
export const IS_PRESENT = `nodes.seen_at > now() - interval '${NODE_LIMITS.goneAfterMs} milliseconds'`;
