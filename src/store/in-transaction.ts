import type { DatabaseSync } from 'node:sqlite';

/** Runs work in one transaction, or as part of the one in progress. Rolls back if the work throws. */
export function inTransaction<T>(database: DatabaseSync, work: () => T): T {
  if (database.isTransaction) return work();
  database.exec('BEGIN IMMEDIATE');
  try {
    const done = work();
    database.exec('COMMIT');
    return done;
  } catch (error) {
    // SQLite may have rolled back already, for example when the disk is full.
    if (database.isTransaction) database.exec('ROLLBACK');
    throw error;
  }
}
