import { randomUUID } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import { type Migrations, migrate } from '../migrate.ts';

export const registeredMigrations: Migrations = {
  part: 'registered',
  steps: [
    'CREATE TABLE registered_servers (name TEXT PRIMARY KEY, manifest JSON NOT NULL, enabled INTEGER NOT NULL DEFAULT 1, registered_by TEXT NOT NULL, registered_at TEXT NOT NULL)',
  ],
};

/** What a server declares when it registers. */
export interface ServerManifest {
  readonly name: string;
  readonly endpoint: string;
  readonly transport: 'http' | 'sse';
  readonly health_check?: string | undefined;
  readonly version?: string | undefined;
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
}

export interface RegisteredServer {
  readonly manifest: ServerManifest;
  readonly enabled: boolean;
  /** Registered by an admin, so it may have a private address. */
  readonly isByAdmin: boolean;
  /** Distinguishes this registration from earlier and later servers of the same name. */
  readonly registration: string;
}

export interface Registrar {
  readonly name: string;
  readonly isAdmin: boolean;
}

/** The column `manifest`. Nodes of all versions share it, even if they lack some columns. */
type StoredManifest = ServerManifest & { readonly by_admin?: boolean; readonly registration?: string };

/** Servers that registered themselves; they are in no config file. */
export class RegisteredServers {
  readonly #database: DatabaseSync;

  constructor(database: DatabaseSync) {
    this.#database = database;
    migrate(database, registeredMigrations);
  }

  /** Sorted by name. */
  list(): RegisteredServer[] {
    const rows = this.#database
      .prepare('SELECT name, manifest, enabled, registered_by, registered_at FROM registered_servers ORDER BY name')
      .all();
    return (rows as unknown as RegisteredRow[]).map((row) => {
      const { by_admin, registration: _, ...manifest } = JSON.parse(row.manifest) as StoredManifest;
      return {
        manifest,
        enabled: row.enabled === 1,
        // Earlier versions stored only the name; `admin` is the holder of the admin token.
        isByAdmin: by_admin ?? row.registered_by === 'admin',
        registration: registrationOf(row),
      };
    });
  }

  /** False if the name is taken. */
  add(manifest: ServerManifest, by: Registrar, now: string): boolean {
    const stored: StoredManifest = { ...manifest, by_admin: by.isAdmin, registration: randomUUID() };
    const { changes } = this.#database
      .prepare(
        'INSERT OR IGNORE INTO registered_servers(name, manifest, registered_by, registered_at) VALUES (?, ?, ?, ?)',
      )
      .run(manifest.name, JSON.stringify(stored), by.name, now);
    return changes > 0;
  }

  setEnabled(name: string, enabled: boolean): void {
    this.#database.prepare('UPDATE registered_servers SET enabled = ? WHERE name = ?').run(enabled ? 1 : 0, name);
  }

  /** False if there was none. */
  remove(name: string): boolean {
    return this.#database.prepare('DELETE FROM registered_servers WHERE name = ?').run(name).changes > 0;
  }
}

interface RegisteredRow {
  readonly name: string;
  readonly manifest: string;
  readonly enabled: number;
  readonly registered_by: string;
  readonly registered_at: string;
}

/** The id of a registration; rows of earlier versions are identified by name and time. */
export function registrationOf({
  name,
  manifest,
  registered_at,
}: Pick<RegisteredRow, 'name' | 'manifest' | 'registered_at'>): string {
  return (JSON.parse(manifest) as StoredManifest).registration ?? `${name} ${registered_at}`;
}
