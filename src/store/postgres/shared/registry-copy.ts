import type { DatabaseSync } from 'node:sqlite';
import { inTransaction } from '../../in-transaction.ts';
import { type Migrations, migrate } from '../../migrate.ts';
import { openDatabase } from '../../open-database.ts';
import { PreparedSql } from '../../prepared-sql.ts';
import type { RowChange, RowContent, SharedRow } from './shared-rows.ts';
import { SHARED_TABLES, type SharedTable } from './shared-tables.ts';

/** A row of `mcp_servers` is shipped only if it has, or had, an offer. */
const OFFERED = { added: 'NEW.offer', changed: 'COALESCE(NEW.offer, OLD.offer)' } as const;

const migrations: Migrations = {
  part: 'shared',
  steps: [
    `
CREATE TABLE shared_state (database_id TEXT NOT NULL, version INTEGER NOT NULL);
CREATE TABLE shared_outbox (part TEXT NOT NULL, key TEXT NOT NULL, place INTEGER PRIMARY KEY AUTOINCREMENT, UNIQUE (part, key));
CREATE TABLE shared_applying (now INTEGER);
${SHARED_TABLES.filter(({ isShipped }) => isShipped)
  .flatMap((shared) => triggersOf(shared))
  .join('\n')}
`,
    // A row without an offer only says that a node knows the server; shipped late, it would overwrite what another node learned.
    `
DROP TRIGGER shared_mcp_servers_added;
DROP TRIGGER shared_mcp_servers_changed;
DROP TRIGGER shared_mcp_servers_removed;
${SHARED_TABLES.filter(({ table }) => table === 'mcp_servers')
  .flatMap((shared) => triggersOf(shared, OFFERED))
  .join('\n')}
`,
    // Tables and columns added later. Every node ships the acceptances that predate their table.
    `
${['accepted_definitions', ...SHARED_TABLES.map(({ table }) => table)]
  .flatMap((table) =>
    ['added', 'changed', 'removed'].map((event) => `DROP TRIGGER IF EXISTS shared_${table}_${event};`),
  )
  .join('\n')}
${SHARED_TABLES.filter(({ isShipped }) => isShipped)
  .flatMap((shared) => triggersOf(shared, shared.table === 'mcp_servers' ? OFFERED : {}))
  .join('\n')}
UPDATE OR REPLACE shared_outbox SET part = 'definitions_in_use' WHERE part = 'accepted_definitions';
INSERT OR IGNORE INTO shared_outbox(part, key)
  SELECT 'acceptances', json_array(server, registration, endpoint, tool, sha256) FROM acceptances;
`,
  ],
};

/** A local change that waits to be shipped. */
export interface Unshipped extends RowChange {
  readonly place: number;
}

/**
 * A node's registry as a replica of the shared one. Triggers record which rows any local process changed, so that changes made while no
 * gateway runs are not lost.
 */
export class RegistryCopy {
  readonly #database: DatabaseSync;
  readonly #sql: PreparedSql;
  readonly #tables = new Map(SHARED_TABLES.map((shared) => [shared.table, shared]));

  /** The tables of the registry must exist. */
  constructor(file: string) {
    this.#database = openDatabase(file);
    // Rows arrive in the order of their changes, not of their references.
    this.#database.exec('PRAGMA foreign_keys=OFF');
    this.#sql = new PreparedSql(this.#database);
    migrate(this.#database, migrations);
  }

  /** The database that this replicates, and the last version it has; undefined if it replicates none. */
  get state(): { readonly id: string; readonly version: number } | undefined {
    const [state] = this.#sql.all<{ id: string; version: number }>(
      'SELECT database_id AS id, version FROM shared_state',
    );
    return state;
  }

  /** Becomes the replica of a database; queues all existing rows for shipping. */
  begin(id: string): void {
    inTransaction(this.#database, () => {
      this.#sql.run('DELETE FROM shared_state');
      this.#sql.run('INSERT INTO shared_state(database_id, version) VALUES (?, 0)', id);
      for (const { table, key, owner } of SHARED_TABLES) {
        const where = owner === undefined ? '' : ` WHERE owner = '${owner}'`;
        this.#sql.run(
          `INSERT OR IGNORE INTO shared_outbox(part, key) SELECT '${table}', json_array(${key.join(', ')}) FROM ${table}${where}`,
        );
      }
    });
  }

  /** Rows of the database win over queued local rows with the same key. */
  forgetUnshipped(rows: readonly SharedRow[]): void {
    inTransaction(this.#database, () => {
      for (const { part, key } of rows)
        this.#sql.run('DELETE FROM shared_outbox WHERE part = ? AND key = ?', part, key);
    });
  }

  /** Applies changes, oldest first. A row that was also changed here stays: it will be shipped and wins as the later change. */
  apply(rows: readonly SharedRow[]): void {
    const last = rows.at(-1);
    if (!last) return;
    inTransaction(this.#database, () => {
      this.#take(rows);
      this.#sql.run('UPDATE shared_state SET version = MAX(version, ?)', last.version);
    });
  }

  /** The oldest queued changes with the rows' current content. Registrations come first, because other rows belong to them. */
  unshipped(limit: number): Unshipped[] {
    const waiting = this.#sql.all<{ part: string; key: string; place: number }>(
      `SELECT part, key, place FROM shared_outbox ORDER BY part <> 'registered_servers', place LIMIT ${limit}`,
    );
    return waiting.map((item) => ({ ...item, content: this.#read(item.part, item.key) }));
  }

  /**
   * Removes shipped changes from the queue; a row that changed again has a new place and stays queued. `instead` holds the database's rows
   * where it refused ours.
   */
  shipped(items: readonly Unshipped[], instead: readonly RowChange[] = []): void {
    inTransaction(this.#database, () => {
      for (const { place } of items) this.#sql.run('DELETE FROM shared_outbox WHERE place = ?', place);
      this.#take(instead);
    });
  }

  /** Writes rows of others, except those with a queued local change. */
  #take(rows: readonly RowChange[]): void {
    this.#sql.run('INSERT INTO shared_applying(now) VALUES (1)');
    for (const row of rows) if (!this.#isUnshipped(row)) this.#write(row);
    this.#sql.run('DELETE FROM shared_applying');
  }

  close(): void {
    this.#database.close();
  }

  #isUnshipped({ part, key }: RowChange): boolean {
    return this.#sql.all('SELECT 1 FROM shared_outbox WHERE part = ? AND key = ?', part, key).length > 0;
  }

  #read(part: string, key: string): RowContent | null {
    const { table, key: names, columns } = this.#tableOf(part);
    const [row] = this.#sql.all<RowContent>(
      `SELECT ${[...names, ...columns].join(', ')} FROM ${table} WHERE ${whereOf(names)}`,
      ...valuesOf(key),
    );
    return row ? { ...row } : null;
  }

  #write({ part, key, content }: RowChange): void {
    // A newer version may share tables that this one lacks.
    if (!this.#tables.has(part)) return;
    const { table, key: names, columns, own = {} } = this.#tableOf(part);
    if (content === null) {
      this.#sql.run(`DELETE FROM ${table} WHERE ${whereOf(names)}`, ...valuesOf(key));
      return;
    }
    const all = [...names, ...columns];
    const given = [...all, ...Object.keys(own)];
    this.#sql.run(
      `INSERT INTO ${table}(${given.join(', ')}) VALUES (${given.map(() => '?').join(', ')})
       ON CONFLICT(${names.join(', ')}) DO UPDATE SET ${columns.map((name) => `${name} = excluded.${name}`).join(', ')}`,
      ...all.map((name) => content[name] ?? null),
      ...Object.values(own),
    );
  }

  #tableOf(part: string): SharedTable {
    return this.#tables.get(part) as SharedTable;
  }
}

/** Whether a registry is a replica of a shared one. */
export function isCopy(database: DatabaseSync): boolean {
  const table = database.prepare("SELECT 1 FROM sqlite_master WHERE name = 'shared_state'").get();
  return table !== undefined && database.prepare('SELECT 1 FROM shared_state').get() !== undefined;
}

/** Triggers queue local changes. They skip changes from other nodes being applied, and rows whose `needed` expression is null. */
function triggersOf(
  { table, key, columns, owner }: SharedTable,
  needed: { readonly added?: string; readonly changed?: string } = {},
): string[] {
  const trigger = (name: 'added' | 'changed' | 'removed', event: string, row: 'NEW' | 'OLD') => {
    const present = name === 'removed' ? undefined : needed[name];
    const place = `json_array(${key.map((column) => `${row}.${column}`).join(', ')})`;
    // No upsert here: a trigger inherits the conflict handling of the statement that fires it.
    return `
CREATE TRIGGER shared_${table}_${name} AFTER ${event} ON ${table}
WHEN NOT EXISTS (SELECT 1 FROM shared_applying)${owner === undefined ? '' : ` AND ${row}.owner = '${owner}'`}${present === undefined ? '' : ` AND ${present} IS NOT NULL`}
BEGIN
  DELETE FROM shared_outbox WHERE part = '${table}' AND key = ${place};
  INSERT INTO shared_outbox(part, key) VALUES ('${table}', ${place});
END;`;
  };
  return [
    trigger('added', 'INSERT', 'NEW'),
    trigger('changed', `UPDATE OF ${columns.join(', ')}`, 'NEW'),
    trigger('removed', 'DELETE', 'OLD'),
  ];
}

function whereOf(names: readonly string[]): string {
  return names.map((name) => `${name} = ?`).join(' AND ');
}

function valuesOf(key: string): string[] {
  return JSON.parse(key) as string[];
}
