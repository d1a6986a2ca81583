import type { ArtefactType } from '../../civic/lifecycle/artefact.ts';
import type {
  AmendmentStore,
  AmendmentVote,
  AmendmentWait,
  MergeRecord,
} from '../../civic/submissions/amendment-store.ts';
import type { FiledType } from '../../civic/submissions/corpus-change.ts';
import type { SubmissionRecord } from '../../civic/submissions/submission-record.ts';
import type { PreparedSql } from '../prepared-sql.ts';
import { fromSubmissionRow, type SubmissionRow } from './rows.ts';

export const AMENDMENT_TABLES = `
CREATE TABLE IF NOT EXISTS civic_amendment_votes (
  submission_id TEXT NOT NULL, voter TEXT NOT NULL, verdict TEXT NOT NULL, at INTEGER NOT NULL,
  PRIMARY KEY (submission_id, voter)
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS civic_amendment_waits (
  submission_id TEXT PRIMARY KEY, gate TEXT NOT NULL, since INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS civic_merges (
  seq INTEGER PRIMARY KEY AUTOINCREMENT, submission_id TEXT NOT NULL UNIQUE, type TEXT NOT NULL, id TEXT NOT NULL,
  merged_at INTEGER NOT NULL, version TEXT NOT NULL, prior_state TEXT NOT NULL, before TEXT NOT NULL, after TEXT NOT NULL,
  automatic INTEGER NOT NULL, reverted_at INTEGER
) STRICT;
CREATE INDEX IF NOT EXISTS civic_merges_time ON civic_merges (merged_at);
CREATE TABLE IF NOT EXISTS civic_outcomes (submission_id TEXT PRIMARY KEY, code TEXT NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS civic_batches (
  submission_id TEXT PRIMARY KEY, batch TEXT NOT NULL, at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS civic_batches_batch ON civic_batches (batch);
CREATE TABLE IF NOT EXISTS civic_quarantines (
  seq INTEGER PRIMARY KEY AUTOINCREMENT, type TEXT NOT NULL, id TEXT NOT NULL, at INTEGER NOT NULL
) STRICT;
`;

interface MergeRow {
  readonly submission_id: string;
  readonly type: FiledType;
  readonly id: string;
  readonly merged_at: number;
  readonly version: string;
  readonly prior_state: string;
  readonly before: string;
  readonly after: string;
  readonly automatic: number;
  readonly reverted_at: number | null;
}

/** Votes on amendments, their waits, and merges, on SQLite. */
export class SqliteAmendments implements AmendmentStore {
  readonly #sql: PreparedSql;

  constructor(sql: PreparedSql) {
    this.#sql = sql;
  }

  votes(submissionId: string): readonly AmendmentVote[] {
    const sql = 'SELECT voter, verdict, at FROM civic_amendment_votes WHERE submission_id = ? ORDER BY at, voter';
    return this.#sql.all<AmendmentVote>(sql, submissionId).map((vote) => ({ ...vote }));
  }

  putVote(submissionId: string, { voter, verdict, at }: AmendmentVote): void {
    const sql = 'INSERT OR REPLACE INTO civic_amendment_votes VALUES (?, ?, ?, ?)';
    this.#sql.run(sql, submissionId, voter, verdict, at);
  }

  wait(submissionId: string): AmendmentWait | undefined {
    const sql = 'SELECT gate, since FROM civic_amendment_waits WHERE submission_id = ?';
    return this.#sql.get<AmendmentWait>(sql, submissionId);
  }

  putWait(submissionId: string, { gate, since }: AmendmentWait): void {
    this.#sql.run('INSERT OR REPLACE INTO civic_amendment_waits VALUES (?, ?, ?)', submissionId, gate, since);
  }

  forget(submissionId: string): void {
    this.#sql.run('DELETE FROM civic_amendment_votes WHERE submission_id = ?', submissionId);
    this.#sql.run('DELETE FROM civic_amendment_waits WHERE submission_id = ?', submissionId);
  }

  setOutcome(submissionId: string, code: string): void {
    this.#sql.run('INSERT OR REPLACE INTO civic_outcomes VALUES (?, ?)', submissionId, code);
  }

  outcome(submissionId: string): string | undefined {
    return this.#sql.get<{ code: string }>('SELECT code FROM civic_outcomes WHERE submission_id = ?', submissionId)
      ?.code;
  }

  recordMerge(merge: MergeRecord): void {
    this.#sql.run(
      `INSERT INTO civic_merges (submission_id, type, id, merged_at, version, prior_state, before, after, automatic)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      merge.submissionId,
      merge.type,
      merge.id,
      merge.mergedAt,
      merge.version,
      merge.priorState,
      merge.before,
      merge.after,
      Number(merge.automatic),
    );
  }

  merge(submissionId: string): MergeRecord | undefined {
    const row = this.#sql.get<MergeRow>('SELECT * FROM civic_merges WHERE submission_id = ?', submissionId);
    return row && fromMergeRow(row);
  }

  merges(limit: number): readonly MergeRecord[] {
    return this.#sql.all<MergeRow>('SELECT * FROM civic_merges ORDER BY seq DESC LIMIT ?', limit).map(fromMergeRow);
  }

  automaticMerges(since: number, artefact?: { readonly type: FiledType; readonly id: string }): number {
    const sql = `SELECT count(*) AS n FROM civic_merges WHERE automatic = 1 AND merged_at >= ?1
      AND (?2 IS NULL OR (type = ?2 AND id = ?3))`;
    return this.#sql.number(sql, since, artefact?.type ?? null, artefact?.id ?? null) ?? 0;
  }

  unreviewed({ type, id }: { readonly type: FiledType; readonly id: string }, since: number): readonly MergeRecord[] {
    const sql = `SELECT * FROM civic_merges WHERE type = ? AND id = ? AND merged_at >= ? AND automatic = 1
      AND reverted_at IS NULL ORDER BY seq DESC`;
    return this.#sql.all<MergeRow>(sql, type, id, since).map(fromMergeRow);
  }

  markReviewed(submissionId: string): void {
    this.#sql.run('UPDATE civic_merges SET automatic = 0 WHERE submission_id = ?', submissionId);
  }

  markReverted(submissionId: string, at: number): void {
    this.#sql.run('UPDATE civic_merges SET reverted_at = ? WHERE submission_id = ?', at, submissionId);
  }

  rewriteMerges(isMeant: (type: FiledType, id: string) => boolean, rewrite: (text: string) => string): void {
    const rows = this.#sql.all<MergeRow & { seq: number }>('SELECT * FROM civic_merges');
    for (const { seq, type, id, before, after } of rows) {
      if (!isMeant(type, id)) continue;
      const [old, next] = [rewrite(before), rewrite(after)];
      if (old === before && next === after) continue;
      this.#sql.run('UPDATE civic_merges SET before = ?, after = ? WHERE seq = ?', old, next, seq);
    }
  }

  setBatch(submissionId: string, batch: string): void {
    const sql = `INSERT OR REPLACE INTO civic_batches SELECT ?1, ?2, received_at FROM civic_submissions WHERE id = ?1`;
    this.#sql.run(sql, submissionId, batch);
  }

  forgetBatches(before: number): void {
    this.#sql.run('DELETE FROM civic_batches WHERE at < ?', before);
  }

  stagedBeside(submissionId: string): readonly SubmissionRecord[] {
    const rows = this.#sql.all<SubmissionRow>(
      `SELECT * FROM civic_submissions WHERE status = 'staged' AND type = 'amendment' AND id <> ?1 AND (
        session_id = (SELECT session_id FROM civic_submissions WHERE id = ?1)
        OR id IN (SELECT submission_id FROM civic_batches WHERE batch = (SELECT batch FROM civic_batches WHERE submission_id = ?1))
      ) ORDER BY seq`,
      submissionId,
    );
    return rows.map(fromSubmissionRow);
  }

  staged(
    target: { readonly type: string; readonly id: string } | undefined,
    limit: number,
  ): readonly SubmissionRecord[] {
    const rows = this.#sql.all<SubmissionRow>(
      `SELECT * FROM civic_submissions WHERE status = 'staged' AND type = 'amendment'
        AND (?1 IS NULL OR (target_type = ?1 AND target_id = ?2)) ORDER BY seq LIMIT ?3`,
      target?.type ?? null,
      target?.id ?? null,
      limit,
    );
    return rows.map(fromSubmissionRow);
  }

  quarantines(since: number): number {
    return this.#sql.number('SELECT count(*) AS n FROM civic_quarantines WHERE at >= ?', since) ?? 0;
  }

  recordQuarantine(type: ArtefactType, id: string, at: number): void {
    this.#sql.run('INSERT INTO civic_quarantines (type, id, at) VALUES (?, ?, ?)', type, id, at);
  }
}

function fromMergeRow(row: MergeRow): MergeRecord {
  return {
    submissionId: row.submission_id,
    type: row.type,
    id: row.id,
    mergedAt: row.merged_at,
    version: row.version,
    priorState: row.prior_state,
    before: row.before,
    after: row.after,
    automatic: row.automatic === 1,
    revertedAt: row.reverted_at ?? undefined,
  };
}
