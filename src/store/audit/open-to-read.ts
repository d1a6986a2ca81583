import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { STORE_LIMITS } from '../limits.ts';

const timeout = STORE_LIMITS.busyTimeoutMs;

/** Opens all audit files of a data directory read-only. */
export function openAllToRead(dataDir: string): DatabaseSync[] {
  const files = existsSync(dataDir) ? readdirSync(dataDir).filter((name) => /^audit-\d+\.db$/.test(name)) : [];
  return files.map((name) => openToRead(join(dataDir, name)));
}

/** Opens an audit file read-only. */
export function openToRead(file: string): DatabaseSync {
  if (existsSync(`${file}-journal`)) rollBack(file);
  return new DatabaseSync(file, { readOnly: true, timeout });
}

/**
 * Rolls back the unfinished transaction of a killed process. SQLite does this only in a writable connection; a read-only one refuses to
 * read. The journal of a live writer is left alone.
 */
function rollBack(file: string): void {
  const database = new DatabaseSync(file, { timeout });
  try {
    database.prepare('SELECT count(*) FROM sqlite_schema').get();
  } finally {
    database.close();
  }
}
