import { DatabaseSync } from 'node:sqlite';
import type { VectorCache } from '../../gateway/search/encoder.ts';

/** Vectors by content hash in a SQLite file; it can be deleted at any time, for all of it can be made again. */
export function openSqliteVectorCache(file: string): VectorCache & { close(): void } {
  const db = new DatabaseSync(file);
  db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA busy_timeout = 5000');
  db.exec('CREATE TABLE IF NOT EXISTS vector (key TEXT PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID');
  const select = db.prepare('SELECT value FROM vector WHERE key = ?');
  const insert = db.prepare('INSERT OR REPLACE INTO vector (key, value) VALUES (?, ?)');
  return {
    async get(keys) {
      const found = new Map<string, Int8Array>();
      for (const key of keys) {
        const row = select.get(key) as { value: Uint8Array } | undefined;
        if (row)
          found.set(key, Int8Array.from(new Int8Array(row.value.buffer, row.value.byteOffset, row.value.byteLength)));
      }
      return found;
    },
    async put(vectors) {
      db.exec('BEGIN IMMEDIATE');
      try {
        for (const [key, vector] of vectors)
          insert.run(key, new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength));
        db.exec('COMMIT');
      } catch (error) {
        db.exec('ROLLBACK');
        throw error;
      }
    },
    close: () => db.close(),
  };
}
