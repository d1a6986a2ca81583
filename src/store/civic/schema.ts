import { chmodSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { STORE_LIMITS } from '../limits.ts';
import { asDatabase } from '../open-database.ts';
import { AMENDMENT_TABLES } from './sqlite-amendments.ts';
import { CONCERN_TABLES } from './sqlite-concerns.ts';
import { REVIEW_TABLES } from './sqlite-review.ts';

/** WAL pages per checkpoint: each checkpoint waits for the disk. */
const CHECKPOINT_PAGES = 4000;

/** The civic tables of the registry. Rows under a daily hash have their own tables, emptied at 00:00 UTC. */
const REGISTRY_TABLES = `
CREATE TABLE IF NOT EXISTS civic_submissions (
  seq INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, session_id TEXT NOT NULL, type TEXT NOT NULL,
  status TEXT NOT NULL, target_type TEXT, target_id TEXT, content_hash TEXT NOT NULL, item TEXT NOT NULL,
  received_at INTEGER NOT NULL, staged_until INTEGER, cancel_hash TEXT, author TEXT,
  is_probe INTEGER NOT NULL, counts_flag INTEGER NOT NULL
) STRICT;
CREATE INDEX IF NOT EXISTS civic_submissions_session ON civic_submissions (session_id);
CREATE INDEX IF NOT EXISTS civic_submissions_staged ON civic_submissions (staged_until) WHERE status = 'staged';
CREATE INDEX IF NOT EXISTS civic_submissions_target ON civic_submissions (target_type, target_id, type);
CREATE TABLE IF NOT EXISTS civic_day_items (
  daily_hash TEXT NOT NULL, content_hash TEXT NOT NULL, submission_id TEXT NOT NULL, type TEXT NOT NULL,
  PRIMARY KEY (daily_hash, content_hash)
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS civic_day_flags (daily_hash TEXT PRIMARY KEY, flags INTEGER NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS civic_artefacts (
  type TEXT NOT NULL, id TEXT NOT NULL, version TEXT NOT NULL, state TEXT NOT NULL, entered_at INTEGER NOT NULL,
  prior_state TEXT, epoch INTEGER NOT NULL, dead_citation INTEGER NOT NULL, due_at INTEGER, PRIMARY KEY (type, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS civic_artefacts_due ON civic_artefacts (due_at) WHERE due_at IS NOT NULL;
CREATE TABLE IF NOT EXISTS civic_votes (
  seq INTEGER PRIMARY KEY, type TEXT NOT NULL, id TEXT NOT NULL, epoch INTEGER NOT NULL, voter TEXT,
  verdict TEXT NOT NULL, cast_at INTEGER NOT NULL, UNIQUE (type, id, epoch, voter)
) STRICT;
CREATE TABLE IF NOT EXISTS civic_marks (
  type TEXT NOT NULL, id TEXT NOT NULL, role TEXT NOT NULL, hash TEXT NOT NULL, PRIMARY KEY (type, id, role, hash)
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS civic_sources (
  path_id TEXT NOT NULL, source_id TEXT NOT NULL, health TEXT NOT NULL, first_failure_at INTEGER,
  last_success_at INTEGER, PRIMARY KEY (path_id, source_id)
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS civic_events (
  seq INTEGER PRIMARY KEY AUTOINCREMENT, at INTEGER NOT NULL, type TEXT NOT NULL, id TEXT NOT NULL, change TEXT NOT NULL
) STRICT;
CREATE TABLE IF NOT EXISTS civic_queue (
  seq INTEGER PRIMARY KEY AUTOINCREMENT, queue_id TEXT NOT NULL UNIQUE, class TEXT NOT NULL, opened_at INTEGER NOT NULL,
  reason TEXT, target_type TEXT, target_id TEXT, submission_id TEXT, rules TEXT, content TEXT,
  decided_at INTEGER, decision TEXT, note TEXT
) STRICT;
CREATE INDEX IF NOT EXISTS civic_queue_open ON civic_queue (class, seq) WHERE decided_at IS NULL;
CREATE TABLE IF NOT EXISTS civic_intents (seq INTEGER PRIMARY KEY AUTOINCREMENT, change TEXT NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS civic_removed_providers (id TEXT PRIMARY KEY, cause TEXT NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS civic_notes (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
`;

const SALT_TABLES = `
CREATE TABLE IF NOT EXISTS civic_salts (key TEXT PRIMARY KEY, bytes BLOB NOT NULL, minted_at INTEGER NOT NULL)
  STRICT, WITHOUT ROWID;
`;

/** Opens a database file (or `:memory:`) with the civic tables, readable by its owner only. Commits survive a killed process. */
export function openRegistry(file: string): DatabaseSync {
  return open(file, REGISTRY_TABLES + AMENDMENT_TABLES + REVIEW_TABLES + CONCERN_TABLES);
}

/** Opens the salts in a separate file, so that a copy of the registry contains no salts. */
export function openSalts(file: string): DatabaseSync {
  return open(file, SALT_TABLES);
}

function open(file: string, tables: string): DatabaseSync {
  return asDatabase(file, () => openWith(file, tables));
}

function openWith(file: string, tables: string): DatabaseSync {
  const database = new DatabaseSync(file);
  // Before the first write, because the WAL inherits the mode.
  if (file !== ':memory:') chmodSync(file, 0o600);
  database.exec(`PRAGMA busy_timeout = ${STORE_LIMITS.busyTimeoutMs}; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;
    PRAGMA wal_autocheckpoint = ${CHECKPOINT_PAGES}; PRAGMA secure_delete = ON; PRAGMA temp_store = MEMORY;`);
  database.exec(tables);
  return database;
}
