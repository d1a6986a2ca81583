import { chmodSync, existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** Opens a database of Bindery's own: for its owner alone, readable beside a writer, safe against a crash of the process. */
export function openDatabase(file: string): DatabaseSync {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const isNew = !existsSync(file);
  const database = new DatabaseSync(file);
  if (isNew) chmodSync(file, 0o600);
  database.exec(
    'PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA busy_timeout=5000; PRAGMA foreign_keys=ON;',
  );
  return database;
}
