import { DatabaseSync } from 'node:sqlite';
import { STORE_LIMITS } from './limits.ts';

/** A lock of the operating system on a file: it ends with the process, however that ends. */
export interface ExclusiveLock {
  close(): void;
}

/** Takes the lock; undefined where another living process (or another part of this one) holds it. */
export function tryLock(file: string, waitMs = 0): ExclusiveLock | undefined {
  const database = new DatabaseSync(file, { timeout: waitMs });
  try {
    database.exec('PRAGMA locking_mode=EXCLUSIVE; BEGIN EXCLUSIVE');
    return database;
  } catch (error) {
    database.close();
    if (isBusy(error)) return undefined;
    throw error;
  }
}

/** Takes a lock that others only look at: a look lasts for less than this waits. */
export function tryWatchedLock(file: string): ExclusiveLock | undefined {
  return tryLock(file, STORE_LIMITS.lockLookMs);
}

/** Whether a living process holds the lock. Looking takes it for a moment as one of many readers. */
export function isLocked(file: string): boolean {
  let database: DatabaseSync;
  try {
    database = new DatabaseSync(file, { readOnly: true });
  } catch {
    // There is no such file yet, so nobody holds it.
    return false;
  }
  try {
    database.prepare('SELECT count(*) FROM sqlite_schema').get();
    return false;
  } catch (error) {
    if (isBusy(error)) return true;
    throw error;
  } finally {
    database.close();
  }
}

function isBusy(error: unknown): boolean {
  return (error as { errcode?: number }).errcode === SQLITE_BUSY;
}

const SQLITE_BUSY = 5;
