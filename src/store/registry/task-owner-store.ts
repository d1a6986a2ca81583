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

  isOwner(server: string, taskId: string, caller: string): boolean {
    return [keyOf(server, taskId), keyOf(server, taskId, caller)].some((id) => this.#find(id)?.owner === caller);
  }

  /**
   * Records the caller of a new task. False if the id belongs to a task of another caller. `isApart`: the caller has a connection of its
   * own, so that other callers may have tasks with the same id. Beyond the limit, a caller's oldest tasks are forgotten.
   */
  claim(server: string, taskId: string, owner: string, isApart = false): boolean {
    return inTransaction(this.#database, () => {
      const id = isApart ? keyOf(server, taskId, owner) : keyOf(server, taskId);
      const known = this.#find(id);
      const now = this.#now();
      if (known && known.owner !== owner && now - known.begun_at < STORE_LIMITS.taskOwnedMs) return false;
      this.#database
        .prepare('INSERT OR REPLACE INTO task_owners(id, owner, begun_at) VALUES (?, ?, ?)')
        .run(id, owner, now);
      this.#database
        .prepare(
          `DELETE FROM task_owners WHERE id IN (
             SELECT id FROM task_owners WHERE owner = ? ORDER BY begun_at DESC, id LIMIT -1 OFFSET ${STORE_LIMITS.tasksPerOwnerMax})`,
        )
        .run(owner);
      return true;
    });
  }

  #find(id: string): { readonly owner: string; readonly begun_at: number } | undefined {
    const row = this.#database.prepare('SELECT owner, begun_at FROM task_owners WHERE id = ?').get(id);
    return row as { owner: string; begun_at: number } | undefined;
  }
}

function keyOf(...parts: readonly [server: string, taskId: string, caller?: string]): string {
  return hash('sha256', JSON.stringify(parts));
}
