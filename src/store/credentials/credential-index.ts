import type { DatabaseSync } from 'node:sqlite';
import { type Migrations, migrate } from '../migrate.ts';

export const credentialMigrations: Migrations = {
  part: 'credentials',
  steps: [
    `CREATE TABLE user_credentials (
  owner TEXT NOT NULL, server TEXT NOT NULL, key_id TEXT NOT NULL, sealed BLOB NOT NULL, updated_at TEXT NOT NULL,
  PRIMARY KEY (owner, server)
)`,
  ],
};

/** Records that a user signed in to a server; the credential itself stays encrypted. */
export interface StoredCredential {
  readonly user: string;
  readonly server: string;
  readonly updated_at: string;
}

/** Which users have signed in to which servers. It has no key and can decrypt nothing. */
export class CredentialIndex {
  readonly #database: DatabaseSync;

  constructor(database: DatabaseSync) {
    this.#database = database;
    migrate(database, credentialMigrations);
  }

  /** By user and server, in byte order. */
  list(): StoredCredential[] {
    const rows = this.#database
      .prepare('SELECT owner AS user, server, updated_at FROM user_credentials ORDER BY owner, server')
      .all();
    return rows.map((row) => ({ ...row }) as unknown as StoredCredential);
  }

  /** False if there was none. */
  remove(user: string, server: string): boolean {
    const { changes } = this.#database
      .prepare('DELETE FROM user_credentials WHERE owner = ? AND server = ?')
      .run(user, server);
    return changes > 0;
  }
}
