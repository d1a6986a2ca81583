import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Salt, SaltStore } from '../../civic/trust/salts.ts';

/**
 * Salts in a database of their own. A new salt is durable before anything hashed with it. Deletions wait for the registry's commit that
 * justifies them, so a crash can leave an extra salt, but never lose one.
 */
export class SqliteSaltStore implements SaltStore {
  readonly #database: DatabaseSync;
  readonly #select: StatementSync;
  readonly #upsert: StatementSync;
  readonly #remove: StatementSync;
  #deleted = new Set<string>();

  constructor(database: DatabaseSync) {
    this.#database = database;
    this.#select = database.prepare('SELECT bytes, minted_at FROM civic_salts WHERE key = ?');
    this.#upsert = database.prepare(
      'INSERT INTO civic_salts VALUES (?, ?, ?) ON CONFLICT (key) DO UPDATE SET bytes = excluded.bytes, minted_at = excluded.minted_at',
    );
    this.#remove = database.prepare('DELETE FROM civic_salts WHERE key = ?');
  }

  get(key: string): Salt | undefined {
    if (this.#deleted.has(key)) return undefined;
    const row = this.#select.get(key) as { bytes: Uint8Array; minted_at: number } | undefined;
    return row && { bytes: row.bytes, mintedAt: row.minted_at };
  }

  put(key: string, salt: Salt): void {
    this.#deleted.delete(key);
    this.#upsert.run(key, salt.bytes, salt.mintedAt);
  }

  /** The salt is stored under both keys until the first may be deleted. */
  rename(from: string, to: string): void {
    const salt = this.get(from);
    if (!salt) return;
    this.put(to, salt);
    this.delete(from);
  }

  delete(key: string): void {
    this.#deleted.add(key);
  }

  keys(): readonly string[] {
    const rows = this.#database.prepare('SELECT key FROM civic_salts').all() as { key: string }[];
    return rows.map((row) => row.key).filter((key) => !this.#deleted.has(key));
  }

  /** Returns a function that cancels the deletions requested from now on, for a rollback. */
  checkpoint(): () => void {
    const before = new Set(this.#deleted);
    return () => {
      this.#deleted = before;
    };
  }

  /** Runs the deletions that waited for the registry's commit. */
  settle(): void {
    if (this.#deleted.size === 0) return;
    this.#database.exec('BEGIN IMMEDIATE');
    try {
      for (const key of this.#deleted) this.#remove.run(key);
      this.#database.exec('COMMIT');
    } catch (thrown) {
      if (this.#database.isTransaction) this.#database.exec('ROLLBACK');
      throw thrown;
    }
    // Truncate the WAL, which would keep the deleted bytes.
    this.#database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    this.#deleted.clear();
  }
}
