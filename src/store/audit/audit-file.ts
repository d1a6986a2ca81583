import { chmodSync, existsSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';

/** Columns that make records findable; the text is what counts. */
export const INDEXED = ['kind', 'phase', 'call_id', 'time', 'caller', 'session', 'server', 'tool', 'outcome'] as const;

const SCHEMA = `
CREATE TABLE IF NOT EXISTS chain (name TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS records (
  seq INTEGER PRIMARY KEY,
  hash TEXT NOT NULL,
  text TEXT NOT NULL,
  ${INDEXED.map((column) => `${column} TEXT`).join(',\n  ')}
);
CREATE INDEX IF NOT EXISTS records_call ON records(call_id);
CREATE TABLE IF NOT EXISTS raw_arguments (call_id TEXT PRIMARY KEY, sealed BLOB NOT NULL);
CREATE INDEX IF NOT EXISTS records_time ON records(time);
`;

/** Opens the audit file of a slot for writing; readers open the same file beside it (WAL). */
export function openAuditFile(file: string, chain: string, fsync: boolean): DatabaseSync {
  const isNew = !existsSync(file);
  const database = new DatabaseSync(file);
  if (isNew) chmodSync(file, 0o600);
  database.exec(`PRAGMA journal_mode=WAL; PRAGMA synchronous=${fsync ? 'FULL' : 'NORMAL'}; PRAGMA busy_timeout=5000;`);
  database.exec(SCHEMA);
  const stored = database.prepare('SELECT name FROM chain').get() as { name: string } | undefined;
  if (!stored) database.prepare('INSERT INTO chain(name) VALUES (?)').run(chain);
  return database;
}

/** The name of the chain that a file holds: it stays what it was when the file was made. */
export function chainNameOf(database: DatabaseSync): string {
  return (database.prepare('SELECT name FROM chain').get() as { name: string }).name;
}
