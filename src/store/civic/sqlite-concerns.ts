import type { ConcernStore } from '../../civic/submissions/concern-store.ts';
import type { PreparedSql } from '../prepared-sql.ts';

export const CONCERN_TABLES = `
CREATE TABLE IF NOT EXISTS civic_concern_digests (digest TEXT PRIMARY KEY, concern_id TEXT NOT NULL) STRICT, WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS civic_concern_digests_concern ON civic_concern_digests (concern_id);
CREATE TABLE IF NOT EXISTS civic_joined_concerns (
  submission_id TEXT PRIMARY KEY, concern_id TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS civic_joined_concerns_concern ON civic_joined_concerns (concern_id);
CREATE TABLE IF NOT EXISTS civic_burst_concerns (
  queue_id TEXT NOT NULL, place INTEGER NOT NULL, submission_id TEXT NOT NULL, PRIMARY KEY (queue_id, place)
) STRICT, WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS civic_queue_bursts ON civic_queue (target_type, target_id)
  WHERE reason = 'concern_burst' AND decided_at IS NULL;
`;

/** Groups of concerns with the same content, on SQLite. */
export class SqliteConcerns implements ConcernStore {
  readonly #sql: PreparedSql;

  constructor(sql: PreparedSql) {
    this.#sql = sql;
  }

  hasReceived(targetType: string, targetId: string, count: number, since: number): boolean {
    // Latest first, so that only `count` rows are read.
    const sql = `SELECT received_at AS n FROM civic_submissions WHERE target_type = ? AND target_id = ? AND type = 'concern'
      ORDER BY seq DESC LIMIT 1 OFFSET ?`;
    const at = this.#sql.number(sql, targetType, targetId, count - 1);
    return at !== undefined && at >= since;
  }

  sameAs(digest: string): string | undefined {
    const sql = 'SELECT concern_id FROM civic_concern_digests WHERE digest = ?';
    return this.#sql.get<{ concern_id: string }>(sql, digest)?.concern_id;
  }

  remember(digest: string, concernId: string): void {
    this.#sql.run('INSERT OR REPLACE INTO civic_concern_digests VALUES (?, ?)', digest, concernId);
  }

  join(submissionId: string, concernId: string): void {
    this.#sql.run('INSERT OR REPLACE INTO civic_joined_concerns VALUES (?, ?)', submissionId, concernId);
  }

  joinedTo(submissionId: string): string | undefined {
    const sql = 'SELECT concern_id FROM civic_joined_concerns WHERE submission_id = ?';
    return this.#sql.get<{ concern_id: string }>(sql, submissionId)?.concern_id;
  }

  joined(concernId: string): readonly string[] {
    const sql = 'SELECT submission_id FROM civic_joined_concerns WHERE concern_id = ? ORDER BY submission_id';
    return this.#sql.all<{ submission_id: string }>(sql, concernId).map(({ submission_id }) => submission_id);
  }

  burstOf(targetType: string, targetId: string): string | undefined {
    const sql = `SELECT queue_id FROM civic_queue
      WHERE target_type = ? AND target_id = ? AND reason = 'concern_burst' AND decided_at IS NULL`;
    return this.#sql.get<{ queue_id: string }>(sql, targetType, targetId)?.queue_id;
  }

  addToBurst(submissionId: string, queueId: string): void {
    const last = this.#sql.number('SELECT max(place) AS n FROM civic_burst_concerns WHERE queue_id = ?', queueId) ?? 0;
    this.#sql.run('INSERT INTO civic_burst_concerns VALUES (?, ?, ?)', queueId, last + 1, submissionId);
  }

  moveBurst(queueId: string, kept: number, toQueueId: string): void {
    const sql = 'SELECT place AS n FROM civic_burst_concerns WHERE queue_id = ? ORDER BY place LIMIT 1 OFFSET ?';
    const last = this.#sql.number(sql, queueId, kept - 1);
    if (last === undefined) return;
    this.#sql.run(
      'UPDATE civic_burst_concerns SET queue_id = ? WHERE queue_id = ? AND place > ?',
      toQueueId,
      queueId,
      last,
    );
  }

  inBurst(queueId: string): readonly string[] {
    const sql = 'SELECT submission_id FROM civic_burst_concerns WHERE queue_id = ? ORDER BY place';
    return this.#sql.all<{ submission_id: string }>(sql, queueId).map(({ submission_id }) => submission_id);
  }

  forget(concernId: string): void {
    this.#sql.run('DELETE FROM civic_concern_digests WHERE concern_id = ?', concernId);
  }
}
