import { DatabaseSync } from 'node:sqlite';
import { type LogEntry, nextEntry } from '../../bind/change-log.ts';
import { toUri } from '../../bind/identity.ts';
import { readZone, readZoneText, zoneEtag } from '../../bind/read-zone.ts';
import type { DecidedWrite, ZoneWriter } from '../../bind/write-zone.ts';
import type { Zone } from '../../bind/zone.ts';
import { ZoneTable } from '../../bind/zone-table.ts';
import { BinderyError } from '../../contract/errors.ts';
import type { FailureReport } from '../../contract/failure-report.ts';
import type { Log } from '../../contract/ports.ts';
import { STORE_LIMITS } from '../limits.ts';
import { zonesReport } from './zones-report.ts';

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS bind_zones (name TEXT PRIMARY KEY, bytes BLOB NOT NULL, seq INTEGER NOT NULL) STRICT;
  CREATE INDEX IF NOT EXISTS bind_zones_seq ON bind_zones (seq);
  CREATE TABLE IF NOT EXISTS bind_log (seq INTEGER PRIMARY KEY, entry TEXT NOT NULL) STRICT;
`;
const FOLLOW_PERIOD_MS = 250;

/** Zones in a SQLite database, with the same answers as from a folder of files. */
export class SqliteZones implements ZoneWriter {
  readonly table = new ZoneTable();
  readonly #database: DatabaseSync;
  readonly #report: FailureReport;
  #seq = -1;
  #dataVersion: unknown;
  #timer: NodeJS.Timeout | undefined;

  constructor(file: string, log: Log) {
    this.#report = zonesReport(log);
    try {
      this.#database = new DatabaseSync(file, { timeout: STORE_LIMITS.busyTimeoutMs });
      this.#database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;');
      this.#database.exec(SCHEMA);
    } catch (cause) {
      throw new BinderyError('ZONE_STORE_FAILED', { detail: 'the database of zones cannot be opened', cause });
    }
    this.#dataVersion = this.#readDataVersion();
    this.#refresh();
  }

  /** Follows the writes of other processes. */
  follow(): void {
    this.#timer = setInterval(() => this.#report.attempt(() => this.#follow()), FOLLOW_PERIOD_MS).unref();
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    this.#database.close();
  }

  async update(name: string, at: string, decide: (current: Zone | undefined) => DecidedWrite): Promise<LogEntry> {
    try {
      this.#database.exec('BEGIN IMMEDIATE');
      const entry = this.#write(name, at, decide);
      this.#database.exec('COMMIT');
      this.#refresh();
      return entry;
    } catch (thrown) {
      if (this.#database.isTransaction) this.#database.exec('ROLLBACK');
      if (thrown instanceof BinderyError) throw thrown;
      throw new BinderyError('ZONE_STORE_FAILED', { cause: thrown });
    }
  }

  entries(since: number, limit: number): readonly LogEntry[] {
    const rows = this.#database.prepare('SELECT entry FROM bind_log WHERE seq > ? ORDER BY seq LIMIT ?');
    return rows.all(since, limit).map((row) => JSON.parse(row.entry as string));
  }

  #write(name: string, at: string, decide: (current: Zone | undefined) => DecidedWrite): LogEntry {
    const row = this.#database.prepare('SELECT bytes FROM bind_zones WHERE name = ?').get(name);
    const current = row && readZone(name, row.bytes as Uint8Array);
    const { text, by } = decide(current);
    const last = this.#database.prepare('SELECT entry FROM bind_log ORDER BY seq DESC LIMIT 1').get();
    const entry = nextEntry(last && JSON.parse(last.entry as string), {
      at,
      identity: toUri(name),
      by,
      zone: zoneEtag(readZoneText(name, text)).slice(1, -1),
      replaced: current ? zoneEtag(current).slice(1, -1) : null,
    });
    this.#database
      .prepare(
        'INSERT INTO bind_zones VALUES (?, ?, ?) ON CONFLICT (name) DO UPDATE SET bytes = excluded.bytes, seq = excluded.seq',
      )
      .run(name, Buffer.from(text), entry.seq);
    this.#database.prepare('INSERT INTO bind_log VALUES (?, ?)').run(entry.seq, JSON.stringify(entry));
    return entry;
  }

  #follow(): void {
    try {
      this.#look();
      this.table.staleSinceMs = undefined;
    } catch (thrown) {
      this.table.staleSinceMs ??= Date.now();
      throw thrown;
    }
  }

  #look(): void {
    const version = this.#readDataVersion();
    if (version === this.#dataVersion) return;
    this.#refresh();
    this.#dataVersion = version;
  }

  #refresh(): void {
    const changed = this.#database.prepare('SELECT name, bytes, seq FROM bind_zones WHERE seq > ? ORDER BY seq');
    for (const { name, bytes, seq } of changed.iterate(this.#seq)) {
      this.table.set(name as string, bytes as Uint8Array);
      this.#seq = Math.max(this.#seq, seq as number);
    }
  }

  #readDataVersion(): unknown {
    return this.#database.prepare('PRAGMA data_version').get()?.data_version;
  }
}
