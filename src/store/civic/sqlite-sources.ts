import { hash } from 'node:crypto';
import type { SourceRecord } from '../../civic/lifecycle/source-health.ts';
import type { PreparedSql } from '../prepared-sql.ts';
import { type SourceRow, toSourceRecord } from './rows.ts';

/** How long changes of other processes may go unnoticed. */
const REVISION_MS = 100;

/** The stored health of the sources of paths. */
export class SqliteSources {
  readonly #sql: PreparedSql;
  #revision: { shared: number; askedAt: number; text: string } | undefined;

  constructor(sql: PreparedSql) {
    this.#sql = sql;
  }

  find(pathId: string, sourceId: string): SourceRecord | undefined {
    const sql = 'SELECT * FROM civic_sources WHERE path_id = ? AND source_id = ?';
    const row = this.#sql.get<SourceRow>(sql, pathId, sourceId);
    return row && toSourceRecord(row);
  }

  save(pathId: string, sourceId: string, record: SourceRecord): void {
    this.#revision = undefined;
    this.#sql.run(
      'INSERT OR REPLACE INTO civic_sources VALUES (?, ?, ?, ?, ?)',
      pathId,
      sourceId,
      record.health,
      record.firstFailureAt ?? null,
      record.lastSuccessAt ?? null,
    );
  }

  all(): readonly { pathId: string; sourceId: string; record: SourceRecord }[] {
    return this.#rows().map((row) => ({
      pathId: row.path_id,
      sourceId: row.source_id,
      record: toSourceRecord(row),
    }));
  }

  /** Every read calls this. Changes of this process show at once, those of others after a moment. */
  revision(): string {
    const askedAt = performance.now();
    if (this.#revision && askedAt - this.#revision.askedAt < REVISION_MS) return this.#revision.text;
    const shared = this.#sql.get<{ data_version: number }>('PRAGMA data_version')?.data_version ?? 0;
    if (this.#revision?.shared === shared) {
      this.#revision.askedAt = askedAt;
    } else {
      const rows = this.#rows();
      const text = rows.length === 0 ? '' : hash('sha256', JSON.stringify(rows), 'hex').slice(0, 16);
      this.#revision = { shared, askedAt, text };
    }
    return this.#revision.text;
  }

  #rows(): SourceRow[] {
    return this.#sql.all<SourceRow>('SELECT * FROM civic_sources ORDER BY path_id, source_id');
  }
}
