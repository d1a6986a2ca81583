import { existsSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { STORE_LIMITS } from '../limits.ts';

/**
 * Rolls back what a process left half written when it was killed. SQLite does so in any connection that may write, and refuses to read in one
 * that may not. A journal of a process that still writes stays as it is.
 */
export function rollBackJournal(file: string): void {
  if (!existsSync(`${file}-journal`)) return;
  const database = new DatabaseSync(file, { timeout: STORE_LIMITS.busyTimeoutMs });
  try {
    database.prepare('SELECT count(*) FROM sqlite_schema').get();
  } finally {
    database.close();
  }
}
