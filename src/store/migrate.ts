import type { DatabaseSync } from 'node:sqlite';
import { BinderyError } from '../contract/errors.ts';
import { inTransaction } from './in-transaction.ts';

/** Steps of one part of a database, in order. A step that was released never changes; add another one instead. */
export interface Migrations {
  readonly part: string;
  readonly steps: readonly string[];
}

/** Migrates a database to the newest schema. Each missing step and its mark are one transaction, so a crash loses nothing. */
export function migrate(database: DatabaseSync, { part, steps }: Migrations): void {
  database.exec(
    'CREATE TABLE IF NOT EXISTS migrations (part TEXT NOT NULL, step INTEGER NOT NULL, PRIMARY KEY (part, step))',
  );
  const stepsDone = () => {
    const row = database.prepare('SELECT COUNT(*) AS done FROM migrations WHERE part = ?').get(part);
    return (row as { done: number }).done;
  };
  const done = stepsDone();
  if (done > steps.length) throw newer(`${part} is at step ${done}`);
  steps.slice(done).forEach((step, index) => {
    inTransaction(database, () => {
      // Another process has run this step meanwhile.
      if (stepsDone() > done + index) return;
      database.exec(step);
      database.prepare('INSERT INTO migrations(part, step) VALUES (?, ?)').run(part, done + index + 1);
    });
  });
}

function newer(detail: string): BinderyError {
  return new BinderyError('DATABASE_UNUSABLE', { detail: `it was written by a newer version (${detail})` });
}
