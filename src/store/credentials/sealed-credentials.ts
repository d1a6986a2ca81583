import type { DatabaseSync } from 'node:sqlite';
import type { Clock, Log } from '../../contract/ports.ts';
import { migrate } from '../migrate.ts';
import { credentialMigrations } from './credential-index.ts';
import type { KeyRing } from './key-ring.ts';
import { seal, unseal } from './seal.ts';

type Entry = Readonly<Record<string, unknown>>;
type Change = (stored: Entry | undefined) => Entry | undefined;
interface Row {
  readonly owner: string;
  readonly server: string;
  readonly key_id: string;
  readonly sealed: Uint8Array;
}

/** Credentials of users for servers, each encrypted on its own; a copy of the database without the keys reveals nothing. */
export class SealedCredentials {
  readonly #database: DatabaseSync;
  readonly #ring: KeyRing;
  readonly #clock: Clock;
  readonly #log: Log;

  constructor(database: DatabaseSync, ring: KeyRing, clock: Clock, log: Log) {
    this.#database = database;
    this.#ring = ring;
    this.#clock = clock;
    this.#log = log;
    migrate(database, credentialMigrations);
    this.#reseal();
  }

  /** The entries of one user only. */
  of(owner: string): OwnerCredentials {
    return new OwnerCredentials(this, owner);
  }

  read(owner: string, server: string): Entry | undefined {
    const row = this.#database
      .prepare('SELECT * FROM user_credentials WHERE owner = ? AND server = ?')
      .get(owner, server) as Row | undefined;
    return row && this.#open(row);
  }

  write(owner: string, server: string, entry: Entry | undefined): void {
    if (entry === undefined) {
      this.#database.prepare('DELETE FROM user_credentials WHERE owner = ? AND server = ?').run(owner, server);
      return;
    }
    // Owner and server are authenticated data: an entry cannot be swapped with another user's.
    const { key_id, sealed } = seal(this.#ring, [owner, server], entry);
    this.#database
      .prepare(
        `INSERT INTO user_credentials(owner, server, key_id, sealed, updated_at) VALUES (?, ?, ?, ?, ?)
         ON CONFLICT(owner, server) DO UPDATE SET key_id = excluded.key_id, sealed = excluded.sealed, updated_at = excluded.updated_at`,
      )
      .run(owner, server, key_id, sealed, new Date(this.#clock.now()).toISOString());
  }

  /** Re-encrypts entries of older keys with the current one, so that older keys can be removed from the file. */
  #reseal(): void {
    const rows = this.#database.prepare('SELECT * FROM user_credentials WHERE key_id <> ?').all(this.#ring.current);
    for (const row of rows as unknown as Row[]) {
      const entry = this.#open(row);
      if (entry) this.write(row.owner, row.server, entry);
    }
  }

  /** An entry that no key decrypts is ignored: its user signs in again. */
  #open({ owner, server, key_id, sealed }: Row): Entry | undefined {
    try {
      return unseal(this.#ring, [owner, server], { key_id, sealed }) as Entry;
    } catch (error) {
      this.#log.warn('a credential could not be decrypted', { owner, server, key_id, error });
      return undefined;
    }
  }
}

/** One user's entries. Renewals of one user run one at a time. */
export class OwnerCredentials {
  readonly #sealed: SealedCredentials;
  readonly #owner: string;
  #last: Promise<unknown> = Promise.resolve();

  constructor(sealed: SealedCredentials, owner: string) {
    this.#sealed = sealed;
    this.#owner = owner;
  }

  async get(server: string): Promise<Entry | undefined> {
    return this.#sealed.read(this.#owner, server);
  }

  async update(server: string, change: Change): Promise<void> {
    await this.locked(() => this.write(server, change));
  }

  locked<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(work);
    this.#last = turn.catch(() => {
      // The caller of that renewal received the error.
    });
    return turn;
  }

  async write(server: string, change: Change): Promise<void> {
    this.#sealed.write(this.#owner, server, change(this.#sealed.read(this.#owner, server)));
  }
}
