import { DatabaseSync } from 'node:sqlite';
import { STORE_LIMITS } from './limits.ts';

/** An operating-system lock on a file: it ends with the process, even after a crash. */
export interface ExclusiveLock {
  close(): void;
}

/** Takes the lock; undefined if another process, or another part of this one, holds it. */
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

/** Takes a lock that others only probe: it waits longer than a probe lasts. */
export function tryWatchedLock(file: string): ExclusiveLock | undefined {
  return tryLock(file, STORE_LIMITS.lockLookMs);
}

/** Whether a live process holds the lock. The probe itself takes a shared lock for a moment. */
export function isLocked(file: string): boolean {
  let database: DatabaseSync;
  try {
    database = new DatabaseSync(file, { readOnly: true });
  } catch {
    // The file does not exist yet, so no process holds it.
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
