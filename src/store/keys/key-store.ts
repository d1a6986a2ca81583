import { setMaxListeners } from 'node:events';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Surface } from '../../contract/approval-surfaces.ts';
import type { Clock, Random } from '../../contract/ports.ts';
import {
  type ApiKey,
  isActive,
  KEY_BYTES,
  KEY_CALLER,
  type KeyRequest,
  type KeyScope,
  keyId,
  keySha256,
  makeKey,
} from '../../gateway/keys/api-key.ts';
import { type Migrations, migrate } from '../migrate.ts';

const migrations: Migrations = {
  part: 'keys',
  steps: [
    `CREATE TABLE api_keys (
  id TEXT PRIMARY KEY, name TEXT NOT NULL, sha256 TEXT NOT NULL, scopes JSON NOT NULL, profiles JSON NOT NULL,
  created_at TEXT NOT NULL, expires_at TEXT, revoked_at TEXT
)`,
    'ALTER TABLE api_keys ADD COLUMN surfaces JSON',
  ],
};

type Row = Omit<ApiKey, 'scopes' | 'profiles' | 'surfaces'> & {
  scopes: string;
  profiles: string;
  surfaces: string | null;
  sha256: string;
};

/** API keys on SQLite. Every lookup reads the row, so that a revocation by another process applies at once. */
export class KeyStore {
  readonly #database: DatabaseSync;
  readonly #clock: Clock;
  readonly #find: StatementSync;
  readonly #inUse = new KeysInUse();

  constructor(database: DatabaseSync, clock: Clock) {
    this.#database = database;
    this.#clock = clock;
    migrate(database, migrations);
    this.#find = database.prepare('SELECT * FROM api_keys WHERE id = ?');
  }

  /** Creates a key; its secret is returned once and never stored. */
  create(
    { name, scopes, profiles, surfaces = null, lifeMs }: KeyRequest,
    random: Random,
  ): { key: string; record: ApiKey } {
    const { id, key } = makeKey(random.bytes(KEY_BYTES));
    const now = this.#clock.now();
    const record: ApiKey = {
      id,
      name,
      scopes,
      profiles,
      surfaces,
      created_at: new Date(now).toISOString(),
      expires_at: lifeMs === null ? null : new Date(now + lifeMs).toISOString(),
      revoked_at: null,
    };
    this.#database
      .prepare(
        'INSERT INTO api_keys(id, name, sha256, scopes, profiles, surfaces, created_at, expires_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
      )
      .run(
        id,
        name,
        keySha256(key),
        JSON.stringify(scopes),
        JSON.stringify(profiles),
        surfaces && JSON.stringify(surfaces),
        record.created_at,
        record.expires_at,
      );
    return { key, record };
  }

  /** The key with this id, active or not. */
  find(id: string): ApiKey | undefined {
    const row = this.#find.get(id) as Row | undefined;
    return row && toKey(row);
  }

  /** The key that a caller used, if it used one. */
  ofCaller(caller: string): ApiKey | undefined {
    return caller.startsWith(KEY_CALLER) ? this.find(caller.slice(KEY_CALLER.length)) : undefined;
  }

  /** Sorted by id. */
  list(): ApiKey[] {
    return (this.#database.prepare('SELECT * FROM api_keys ORDER BY id').all() as unknown as Row[]).map(toKey);
  }

  /** Undefined if there is none; an earlier revocation keeps its time. */
  revoke(id: string): ApiKey | undefined {
    this.#database
      .prepare('UPDATE api_keys SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL')
      .run(this.#now(), id);
    return this.find(id);
  }

  /** The active key with this secret text, if any. */
  verify(text: string): ApiKey | undefined {
    const id = keyId(text);
    const row = id === undefined ? undefined : (this.#find.get(id) as Row | undefined);
    // Compares digests, so that timing reveals nothing about the secret.
    if (!row || row.sha256 !== keySha256(text)) return undefined;
    const key = toKey(row);
    return isActive(key, this.#now()) ? key : undefined;
  }

  /** Aborted when `endLapsed` finds that the key has expired or was revoked. */
  overOf(id: string): AbortSignal {
    return this.#inUse.overOf(id);
  }

  /** Aborts the streams of keys that have expired or were revoked, by any process. */
  endLapsed(): void {
    const now = this.#now();
    this.#inUse.endLapsed((id) => {
      const key = this.find(id);
      return key !== undefined && isActive(key, now);
    });
  }

  /** Whether any key is active. */
  hasActive(): boolean {
    return this.list().some((key) => isActive(key, this.#now()));
  }

  #now(): string {
    return new Date(this.#clock.now()).toISOString();
  }
}

function toKey({ id, name, scopes, profiles, surfaces, created_at, expires_at, revoked_at }: Row): ApiKey {
  return {
    id,
    name,
    scopes: JSON.parse(scopes) as KeyScope[],
    profiles: JSON.parse(profiles) as string[],
    surfaces: surfaces === null ? null : (JSON.parse(surfaces) as Surface[]),
    created_at,
    expires_at,
    revoked_at,
  };
}

/**
 * Keys in use, each with a signal for what outlives its request: a stream is not authenticated again. At most as many as there are active
 * keys.
 */
export class KeysInUse {
  readonly #used = new Map<string, AbortController>();

  /** Aborted when the key has expired or was revoked. */
  overOf(id: string): AbortSignal {
    return (this.#used.get(id) ?? this.#begin(id)).signal;
  }

  /** Aborts the signals of keys that are no longer active. */
  endLapsed(opens: (id: string) => boolean): void {
    for (const [id, ending] of this.#used) {
      if (opens(id)) continue;
      this.#used.delete(id);
      ending.abort();
    }
  }

  #begin(id: string): AbortController {
    const ending = new AbortController();
    // One listener per stream of the key.
    setMaxListeners(0, ending.signal);
    this.#used.set(id, ending);
    return ending;
  }
}
