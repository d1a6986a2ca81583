import { chmodSync, existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { BinderyError } from '../contract/errors.ts';
import { STORE_LIMITS } from './limits.ts';

/** Opens a database of Bindery: readable by its owner only, in WAL mode, safe against a crash of the process. */
export function openDatabase(file: string): DatabaseSync {
  return asDatabase(file, () => {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    const isNew = !existsSync(file);
    const database = new DatabaseSync(file);
    try {
      // busy_timeout comes first: another process that closes the file locks it for a moment.
      database.exec(
        `PRAGMA busy_timeout=${STORE_LIMITS.busyTimeoutMs}; PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA foreign_keys=ON;`,
      );
      if (isNew) chmodSync(file, 0o600);
      return database;
    } catch (error) {
      database.close();
      throw error;
    }
  });
}

/** Limits how long later writes may block the event loop for other processes. Call it after migrations: those may wait longer. */
export function waitBriefly(database: DatabaseSync): void {
  database.exec(`PRAGMA busy_timeout=${STORE_LIMITS.busyLoopMs}`);
}

/** Opens a database file; turns SQLite's errors into `DATABASE_UNUSABLE`. */
export function asDatabase<T>(file: string, open: () => T): T {
  try {
    return open();
  } catch (cause) {
    const { errcode, code } = cause as { errcode?: number; code?: string };
    const why = WHY[errcode ?? 0] ?? (code?.startsWith('E') ? 'cannot be opened' : undefined);
    if (why === undefined) throw cause;
    throw new BinderyError('DATABASE_UNUSABLE', { detail: `"${file}" ${why}`, cause });
  }
}

/** By SQLite result code. */
const WHY: Readonly<Record<number, string>> = {
  8: 'cannot be written',
  11: 'is damaged',
  14: 'cannot be opened',
  26: 'is not a SQLite database',
};
