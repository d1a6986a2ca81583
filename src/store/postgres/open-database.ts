import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool, PoolClient } from 'pg';
import type { Log } from '../../contract/ports.ts';
import { asStoreError, isUnreachable, unreachable } from './as-store-error.ts';
import { connectionSettings } from './connection-settings.ts';
import { DATABASE_LIMITS } from './limits.ts';
import { Listener, type Subscriber } from './listener.ts';
import { migrateDatabase } from './migrate-database.ts';
import { migrations } from './migrations/all.ts';

/** Rows of a query; numbers of 64 bits are numbers, times of the column type `timestamptz` are dates. */
export type Query = <T extends object>(text: string, values?: readonly unknown[]) => Promise<T[]>;

/**
 * Opens the database that nodes share, brought to the newest form. Whatever fails because it is out of reach fails with
 * `STORE_UNAVAILABLE`; nothing of the address is part of an error or of the log.
 */
export async function openDatabase(url: string, log: Log): Promise<Database> {
  const address = connectionSettings(url);
  const { default: pg } = await import('pg');
  // The library gives numbers of 64 bits as text, since they may be larger than a number can be; ours are times and counts.
  const getTypeParser: typeof pg.types.getTypeParser = (id: number, format?: 'text' | 'binary') =>
    id === pg.types.builtins.INT8 && format !== 'binary' ? Number : pg.types.getTypeParser(id, format as 'text');
  const settings = { ...address, types: { getTypeParser } };
  const pool = new pg.Pool({ ...settings, max: DATABASE_LIMITS.connectionsMax, allowExitOnIdle: true });
  // A broken connection is replaced when it is needed; the query that used it fails.
  pool.on('error', () => {}).on('connect', (client) => client.on('error', () => {}));
  const listener = new Listener(() => new pg.Client(settings), log);
  const database = new Database(pool, listener);
  try {
    await database.transaction((query) => migrateDatabase(query, migrations));
    await listener.start().catch((thrown: unknown) => {
      throw asStoreError(thrown);
    });
  } catch (thrown) {
    await database.close();
    throw thrown;
  }
  return database;
}

/** The database that nodes share. */
export class Database {
  readonly #pool: Pool;
  readonly #listener: Listener;

  constructor(pool: Pool, listener: Listener) {
    this.#pool = pool;
    this.#listener = listener;
  }

  /** False from the first failed try to connect until one succeeds. */
  get isReachable(): boolean {
    return this.#listener.isReachable;
  }

  /** Resolves at once where it is reachable, else when it is again. */
  whenReachable(): Promise<void> {
    return this.#listener.whenReachable();
  }

  /** Asks by a connection of the pool; while the database is known to be out of reach it fails at once. */
  query<T extends object>(text: string, values?: readonly unknown[]): Promise<T[]> {
    return this.#with((client) => ask<T>(client, text, values));
  }

  /** Does work in one transaction: what throws leaves nothing. */
  transaction<T>(work: (query: Query) => Promise<T>): Promise<T> {
    return this.#with(async (client) => {
      await ask(client, 'BEGIN');
      try {
        const done = await work((text, values) => ask(client, text, values));
        await ask(client, 'COMMIT');
        return done;
      } catch (thrown) {
        await client.query('ROLLBACK').catch(() => {});
        throw thrown;
      }
    });
  }

  /**
   * Hears what is notified on a channel. `onConnected` is called when listening begins, and again after each time that the
   * connection was lost: whatever was notified meanwhile has to be looked for in its table. Returns how to stop.
   */
  listen(channel: string, subscriber: Subscriber): () => void {
    return this.#listener.listen(channel, subscriber);
  }

  async close(): Promise<void> {
    // A connection that was cut silently never says that it has ended.
    const ended = Promise.all([this.#listener.close(), this.#pool.end()]);
    const waited = new AbortController();
    const late = sleep(DATABASE_LIMITS.closeTimeoutMs, undefined, { signal: waited.signal }).catch(() => {});
    await Promise.race([ended, late]);
    waited.abort();
  }

  async #with<T>(work: (client: PoolClient) => Promise<T>): Promise<T> {
    const client = await this.#connect();
    try {
      const done = await work(client);
      client.release();
      return done;
    } catch (thrown) {
      const isLost = isUnreachable(thrown);
      // A connection on which something was lost may still get the answer to it: it is not used again.
      client.release(isLost);
      if (isLost) this.#listener.check();
      throw thrown;
    }
  }

  async #connect(): Promise<PoolClient> {
    if (!this.isReachable) throw unreachable();
    try {
      return await this.#pool.connect();
    } catch (thrown) {
      this.#listener.check();
      throw asStoreError(thrown);
    }
  }
}

async function ask<T extends object>(client: PoolClient, text: string, values: readonly unknown[] = []): Promise<T[]> {
  try {
    const { rows } = await client.query<T>(text, [...values]);
    return rows;
  } catch (thrown) {
    throw asStoreError(thrown);
  }
}
