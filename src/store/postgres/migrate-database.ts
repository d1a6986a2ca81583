import type { Migrations } from '../migrate.ts';

/** An arbitrary advisory-lock key that no other user of the database may use. */
const LOCK = 7_717_001;

/** Migrates a database to the newest schema in one transaction. If several nodes start at once, one migrates and the others wait. */
export async function migrateDatabase(
  query: (text: string, values?: readonly unknown[]) => Promise<readonly object[]>,
  parts: readonly Migrations[],
): Promise<void> {
  await query('SELECT pg_advisory_xact_lock($1)', [LOCK]);
  await query(
    'CREATE TABLE IF NOT EXISTS migrations (part TEXT NOT NULL, step INTEGER NOT NULL, PRIMARY KEY (part, step))',
  );
  for (const { part, steps } of parts) {
    const done = (await query('SELECT step FROM migrations WHERE part = $1', [part])).length;
    if (done > steps.length)
      throw new Error(`the database was written by a newer version (${part} is at step ${done})`);
    for (const [index, step] of steps.entries()) {
      if (index < done) continue;
      await query(step);
      await query('INSERT INTO migrations(part, step) VALUES ($1, $2)', [part, index + 1]);
    }
  }
}
