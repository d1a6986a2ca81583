import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { STORE_LIMITS } from '../limits.ts';

const timeout = STORE_LIMITS.busyTimeoutMs;

/** Opens all audit files of a data directory without the right to write. */
export function openAllToRead(dataDir: string): DatabaseSync[] {
  const files = existsSync(dataDir) ? readdirSync(dataDir).filter((name) => /^audit-\d+\.db$/.test(name)) : [];
  return files.map((name) => openToRead(join(dataDir, name)));
}

/** Opens an audit file without the right to write. */
export function openToRead(file: string): DatabaseSync {
  if (existsSync(`${file}-journal`)) rollBack(file);
  return new DatabaseSync(file, { readOnly: true, timeout });
}

/**
 * Rolls back what a process left half written when it was killed. SQLite does so in any connection that may write, and refuses to read in one
 * that may not. A journal of a process that still writes stays as it is.
 */
function rollBack(file: string): void {
  const database = new DatabaseSync(file, { timeout });
  try {
    database.prepare('SELECT count(*) FROM sqlite_schema').get();
  } finally {
    database.close();
  }
}
