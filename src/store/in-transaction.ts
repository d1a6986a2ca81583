import type { DatabaseSync } from 'node:sqlite';

/** Does work as one transaction, as a part of the one that is under way where there is one; what throws leaves nothing. */
export function inTransaction<T>(database: DatabaseSync, work: () => T): T {
  if (database.isTransaction) return work();
  database.exec('BEGIN IMMEDIATE');
  try {
    const done = work();
    database.exec('COMMIT');
    return done;
  } catch (error) {
    // What a full disk broke is rolled back already.
    if (database.isTransaction) database.exec('ROLLBACK');
    throw error;
  }
}
