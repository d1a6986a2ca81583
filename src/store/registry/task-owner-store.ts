import { hash } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import { inTransaction } from '../in-transaction.ts';
import { STORE_LIMITS } from '../limits.ts';
import { type Migrations, migrate } from '../migrate.ts';

const migrations: Migrations = {
  part: 'tasks',
  steps: [
    `
CREATE TABLE task_owners (id TEXT PRIMARY KEY, owner TEXT NOT NULL, begun_at INTEGER NOT NULL);
CREATE INDEX task_owners_begun ON task_owners(owner, begun_at);
`,
  ],
};

/** Records which caller started which task. Ids are stored as digests: servers choose them, and they may be long. */
export class SqliteTaskOwners {
  readonly #database: DatabaseSync;
  readonly #now: () => number;

  constructor(database: DatabaseSync, now: () => number) {
    this.#database = database;
    this.#now = now;
    migrate(database, migrations);
  }

  ownerOf(server: string, taskId: string): string | undefined {
    const row = this.#database.prepare('SELECT owner FROM task_owners WHERE id = ?').get(keyOf(server, taskId));
    return (row as { owner: string } | undefined)?.owner;
  }

  /** Records the latest caller, because servers may reuse an id. Beyond the limit, a caller's oldest tasks are forgotten. */
  keep(server: string, taskId: string, owner: string): void {
    inTransaction(this.#database, () => {
      this.#database
        .prepare('INSERT OR REPLACE INTO task_owners(id, owner, begun_at) VALUES (?, ?, ?)')
        .run(keyOf(server, taskId), owner, this.#now());
      this.#database
        .prepare(
          `DELETE FROM task_owners WHERE id IN (
             SELECT id FROM task_owners WHERE owner = ? ORDER BY begun_at DESC, id LIMIT -1 OFFSET ${STORE_LIMITS.tasksPerOwnerMax})`,
        )
        .run(owner);
    });
  }
}

function keyOf(server: string, taskId: string): string {
  return hash('sha256', JSON.stringify([server, taskId]));
}
