import type { DatabaseSync } from 'node:sqlite';
import { setImmediate } from 'node:timers/promises';
import type { Clock } from '../../contract/ports.ts';
import { SEARCH_LIMITS } from '../../gateway/search/limits.ts';
import type { LearnedCall } from '../../gateway/search/ranking/query-learner.ts';
import type { VectorCache } from '../../gateway/search/vectors/encoder.ts';
import { inTransaction } from '../in-transaction.ts';
import { type Migrations, migrate } from '../migrate.ts';
import { openDatabase } from '../open-database.ts';

const migrations: Migrations = {
  part: 'search',
  steps: [
    `CREATE TABLE vector (key TEXT PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID;
     CREATE TABLE learned (place INTEGER PRIMARY KEY AUTOINCREMENT, server TEXT NOT NULL, tool TEXT NOT NULL, query TEXT NOT NULL, UNIQUE (server, tool, query))`,
    'ALTER TABLE vector ADD COLUMN wanted INTEGER NOT NULL DEFAULT 0',
  ],
};

const DAY_MS = 86_400_000;
/** Vectors marked per transaction, and added between two checks of the total. */
const MARKED_AT_ONCE = 1_000;

/**
 * Persistent search data: vectors by content hash, and past queries if learning is on. The file can be deleted at any time: vectors are
 * computed again, and learned queries are lost.
 */
export class SearchStore implements VectorCache {
  readonly #database: DatabaseSync;
  readonly #clock: Clock;
  #added = 0;

  constructor(file: string, clock: Clock = { now: Date.now }) {
    this.#clock = clock;
    this.#database = openDatabase(file);
    // Deleted data leaves no bytes in the file.
    this.#database.exec('PRAGMA secure_delete = ON');
    migrate(this.#database, migrations);
  }

  async get(keys: readonly string[]): Promise<ReadonlyMap<string, Int8Array>> {
    // A large catalogue comes in many batches: yield to calls of clients in between.
    await setImmediate();
    const select = this.#database.prepare('SELECT value FROM vector WHERE key = ?');
    const found = new Map<string, Int8Array>();
    for (const key of keys) {
      const row = select.get(key) as { value: Uint8Array } | undefined;
      if (row) found.set(key, new Int8Array(row.value));
    }
    return found;
  }

  async put(vectors: ReadonlyMap<string, Int8Array>): Promise<void> {
    const insert = this.#database.prepare('INSERT OR REPLACE INTO vector (key, value, wanted) VALUES (?, ?, ?)');
    const today = this.#today();
    inTransaction(this.#database, () => {
      for (const [key, { buffer, byteOffset, byteLength }] of vectors)
        insert.run(key, new Uint8Array(buffer, byteOffset, byteLength), today);
    });
    this.#added += vectors.size;
    if (this.#added < MARKED_AT_ONCE) return;
    this.#added = 0;
    this.#trim();
  }

  /** Marks the vectors used today; evicts those unused for long, and the longest unused beyond the limit. */
  async keep(keys: readonly string[]): Promise<void> {
    const mark = this.#database.prepare('UPDATE vector SET wanted = ?1 WHERE key = ?2 AND wanted < ?1');
    const today = this.#today();
    for (let first = 0; first < keys.length; first += MARKED_AT_ONCE) {
      inTransaction(this.#database, () => {
        for (const key of keys.slice(first, first + MARKED_AT_ONCE)) mark.run(today, key);
      });
      await setImmediate();
    }
    this.#database.prepare('DELETE FROM vector WHERE wanted < ?').run(today - SEARCH_LIMITS.unwantedVectorDaysMax);
    this.#trim();
  }

  get vectors(): number {
    return (this.#database.prepare('SELECT COUNT(*) AS count FROM vector').get() as { count: number }).count;
  }

  /** The past queries of all tools, newest first. */
  learned(): LearnedCall[] {
    return this.#database
      .prepare('SELECT server, tool, query FROM learned ORDER BY place DESC')
      .all() as unknown as LearnedCall[];
  }

  /** Stores past queries, newest last, with a limit per tool. */
  learn(calls: readonly LearnedCall[]): void {
    const insert = this.#database.prepare('INSERT OR REPLACE INTO learned (server, tool, query) VALUES (?, ?, ?)');
    const trim = this.#database.prepare(
      `DELETE FROM learned WHERE server = ?1 AND tool = ?2 AND place NOT IN
       (SELECT place FROM learned WHERE server = ?1 AND tool = ?2 ORDER BY place DESC LIMIT ${SEARCH_LIMITS.learnedQueriesPerToolMax})`,
    );
    inTransaction(this.#database, () => {
      for (const { server, tool, query } of calls) {
        insert.run(server, tool, query);
        trim.run(server, tool);
      }
      this.#database
        .prepare('DELETE FROM learned WHERE place <= (SELECT MAX(place) FROM learned) - ?')
        .run(SEARCH_LIMITS.learnedQueriesMax);
    });
  }

  /** Deletes all learned queries, and the vectors with these keys, which would reveal them. */
  forget(keys: Iterable<string>): void {
    const remove = this.#database.prepare('DELETE FROM vector WHERE key = ?');
    inTransaction(this.#database, () => {
      for (const key of keys) remove.run(key);
      this.#database.exec('DELETE FROM learned');
    });
    this.#database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  }

  close(): void {
    this.#database.close();
  }

  #trim(): void {
    const surplus = this.vectors - SEARCH_LIMITS.vectorsMax;
    if (surplus <= 0) return;
    this.#database
      .prepare('DELETE FROM vector WHERE key IN (SELECT key FROM vector ORDER BY wanted, key LIMIT ?)')
      .run(surplus);
  }

  #today(): number {
    return Math.floor(this.#clock.now() / DAY_MS);
  }
}
