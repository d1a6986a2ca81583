import { createHash } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import { type Migrations, migrate } from '../migrate.ts';

const migrations: Migrations = {
  part: 'policy',
  steps: [
    'CREATE TABLE policy_versions (file TEXT PRIMARY KEY, text TEXT NOT NULL, sha256 TEXT NOT NULL, loaded_at TEXT NOT NULL)',
  ],
};

/** The text of a valid policy. */
export interface PolicyVersion {
  readonly text: string;
  readonly sha256: string;
  readonly loaded_at: string;
}

export function policyVersion(text: string, now: number): PolicyVersion {
  return {
    text,
    sha256: createHash('sha256').update(text).digest('hex'),
    loaded_at: new Date(now).toISOString(),
  };
}

/** The last good version of each policy in force. Accepting that a file is gone deletes its version. */
export class PolicyVersions {
  readonly #database: DatabaseSync;
  readonly #isReadOnly: boolean;

  /** `isReadOnly`: another process stores the versions. */
  constructor(database: DatabaseSync, isReadOnly = false) {
    this.#database = database;
    this.#isReadOnly = isReadOnly;
    migrate(database, migrations);
  }

  find(file: string): PolicyVersion | undefined {
    return this.#database
      .prepare('SELECT text, sha256, loaded_at FROM policy_versions WHERE file = ?')
      .get(file) as unknown as PolicyVersion | undefined;
  }

  keep(file: string, { text, sha256, loaded_at }: PolicyVersion): void {
    if (this.#isReadOnly) return;
    this.#database
      .prepare('INSERT OR REPLACE INTO policy_versions(file, text, sha256, loaded_at) VALUES (?, ?, ?, ?)')
      .run(file, text, sha256, loaded_at);
  }

  /** Returns whether there was one. */
  forget(file: string): boolean {
    if (this.#isReadOnly) return false;
    return this.#database.prepare('DELETE FROM policy_versions WHERE file = ?').run(file).changes > 0;
  }
}
