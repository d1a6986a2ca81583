import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool, PoolClient } from 'pg';
import type { Log } from '../../contract/ports.ts';
import { asStoreError, isUnreachable, unreachable } from './as-store-error.ts';
import { connectionSettings } from './connection-settings.ts';
import { DATABASE_LIMITS } from './limits.ts';
import { Listener, type Subscriber } from './listener.ts';
import { migrateDatabase } from './migrate-database.ts';
import { migrations } from './migrations/all.ts';

/** Runs a query. 64-bit integers become numbers, `timestamptz` values become dates. */
export type Query = <T extends object>(text: string, values?: readonly unknown[]) => Promise<T[]>;

/**
 * Opens the shared database and migrates it. If it is unreachable, calls fail with `STORE_UNAVAILABLE`; no error and no log line contains
 * the address.
 */
export async function openDatabase(url: string, log: Log): Promise<Database> {
  const address = connectionSettings(url);
  const { default: pg } = await import('pg');
  // The library returns 64-bit integers as text, because they may exceed a number; ours are times and counts.
  const getTypeParser: typeof pg.types.getTypeParser = (id: number, format?: 'text' | 'binary') =>
    id === pg.types.builtins.INT8 && format !== 'binary' ? Number : pg.types.getTypeParser(id, format as 'text');
  const settings = { ...address, types: { getTypeParser } };
  const pool = new pg.Pool({ ...settings, max: DATABASE_LIMITS.connectionsMax, allowExitOnIdle: true });
  // The pool replaces a broken connection on demand; the query that used it fails.
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

  /** False from the first failed connection attempt until one succeeds. */
  get isReachable(): boolean {
    return this.#listener.isReachable;
  }

  /** Resolves once the database is reachable. */
  whenReachable(): Promise<void> {
    return this.#listener.whenReachable();
  }

  /** Uses a connection of the pool; fails at once while the database is known to be unreachable. */
  query<T extends object>(text: string, values?: readonly unknown[]): Promise<T[]> {
    return this.#with((client) => ask<T>(client, text, values));
  }

  /** Runs work in one transaction; rolls back if the work throws. */
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
   * Listens on a channel. `onConnected` is called when listening starts and after every reconnect: notifications sent in between must be
   * looked up in their table. Returns a function that stops listening.
   */
  listen(channel: string, subscriber: Subscriber): () => void {
    return this.#listener.listen(channel, subscriber);
  }

  async close(): Promise<void> {
    // A silently cut connection never reports its end, so do not wait forever.
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
      // After a lost query the connection may still receive its answer, so it is not reused.
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
