import type { QueueClass, QueueItem } from '../../civic/review/queue-item.ts';
import type {
  BeforeDecision,
  Claim,
  Erasure,
  Proposal,
  ReviewStore,
  ScoreCount,
  Verdict,
} from '../../civic/review/review-store.ts';
import type { PreparedSql } from '../prepared-sql.ts';
import { fromQueueRow, type QueueRow } from './rows.ts';

export const REVIEW_TABLES = `
CREATE TABLE IF NOT EXISTS civic_claims (queue_id TEXT PRIMARY KEY, by TEXT NOT NULL, at INTEGER NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS civic_before_decisions (queue_id TEXT PRIMARY KEY, before TEXT NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS civic_verdicts (
  submission_id TEXT PRIMARY KEY, decision TEXT NOT NULL, reason TEXT
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS civic_proposals (queue_id TEXT PRIMARY KEY, proposal TEXT NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS civic_erasures (
  submission_id TEXT PRIMARY KEY, key_check TEXT NOT NULL, pieces TEXT NOT NULL
) STRICT, WITHOUT ROWID;
-- Lets a reader of the site count them without reading the prints.
CREATE INDEX IF NOT EXISTS civic_erasures_id ON civic_erasures (submission_id);
CREATE INDEX IF NOT EXISTS civic_queue_decided ON civic_queue (class, decided_at) WHERE decided_at IS NOT NULL;
CREATE INDEX IF NOT EXISTS civic_queue_submission ON civic_queue (submission_id) WHERE submission_id IS NOT NULL;
`;

/** Claims, verdicts and undo data of decisions, on SQLite. */
export class SqliteReview implements ReviewStore {
  readonly #sql: PreparedSql;

  constructor(sql: PreparedSql) {
    this.#sql = sql;
  }

  claim(queueId: string): Claim | undefined {
    const row = this.#sql.get<Claim>('SELECT by, at FROM civic_claims WHERE queue_id = ?', queueId);
    return row && { by: row.by, at: row.at };
  }

  setClaim(queueId: string, claim: Claim | undefined): void {
    if (claim) this.#sql.run('INSERT OR REPLACE INTO civic_claims VALUES (?, ?, ?)', queueId, claim.by, claim.at);
    else this.#sql.run('DELETE FROM civic_claims WHERE queue_id = ?', queueId);
  }

  before(queueId: string): BeforeDecision | undefined {
    const row = this.#sql.get<{ before: string }>(
      'SELECT before FROM civic_before_decisions WHERE queue_id = ?',
      queueId,
    );
    return row && (JSON.parse(row.before) as BeforeDecision);
  }

  setBefore(queueId: string, before: BeforeDecision | undefined): void {
    if (before === undefined) this.#sql.run('DELETE FROM civic_before_decisions WHERE queue_id = ?', queueId);
    else this.#sql.run('INSERT OR REPLACE INTO civic_before_decisions VALUES (?, ?)', queueId, JSON.stringify(before));
  }

  verdict(submissionId: string): Verdict | undefined {
    const row = this.#sql.get<{ decision: string; reason: string | null }>(
      'SELECT decision, reason FROM civic_verdicts WHERE submission_id = ?',
      submissionId,
    );
    return row && { decision: row.decision, reason: row.reason ?? undefined };
  }

  setVerdict(submissionId: string, verdict: Verdict | undefined): void {
    if (verdict === undefined) this.#sql.run('DELETE FROM civic_verdicts WHERE submission_id = ?', submissionId);
    else {
      const sql = 'INSERT OR REPLACE INTO civic_verdicts VALUES (?, ?, ?)';
      this.#sql.run(sql, submissionId, verdict.decision, verdict.reason ?? null);
    }
  }

  decided(queueClass: QueueClass, limit: number): readonly QueueItem[] {
    const sql = `SELECT * FROM civic_queue WHERE class = ? AND decided_at IS NOT NULL
      ORDER BY decided_at DESC, seq DESC LIMIT ?`;
    return this.#sql.all<QueueRow>(sql, queueClass, limit).map(fromQueueRow);
  }

  itemsAbout(submissionId: string): readonly QueueItem[] {
    const sql = 'SELECT * FROM civic_queue WHERE submission_id = ? ORDER BY seq DESC';
    return this.#sql.all<QueueRow>(sql, submissionId).map(fromQueueRow);
  }

  proposal(queueId: string): Proposal | undefined {
    const row = this.#sql.get<{ proposal: string }>('SELECT proposal FROM civic_proposals WHERE queue_id = ?', queueId);
    return row && (JSON.parse(row.proposal) as Proposal);
  }

  setProposal(queueId: string, proposal: Proposal | undefined): void {
    if (proposal === undefined) this.#sql.run('DELETE FROM civic_proposals WHERE queue_id = ?', queueId);
    else this.#sql.run('INSERT OR REPLACE INTO civic_proposals VALUES (?, ?)', queueId, JSON.stringify(proposal));
  }

  proposedIds(): readonly string[] {
    return this.#sql.all<{ id: string }>('SELECT queue_id AS id FROM civic_proposals').map(({ id }) => id);
  }

  erasure(submissionId: string): Erasure | undefined {
    const row = this.#sql.get<{ key_check: string; pieces: string }>(
      'SELECT key_check, pieces FROM civic_erasures WHERE submission_id = ?',
      submissionId,
    );
    if (!row) return undefined;
    const pieces = (JSON.parse(row.pieces) as [string, [number, number, string][]][]).map(([member, prints]) => ({
      member,
      prints: prints.map(([length, rolling, digest]) => ({ length, rolling, digest })),
    }));
    return { check: row.key_check, pieces };
  }

  erasedIds(): ReadonlySet<string> {
    return new Set(this.#sql.all<{ id: string }>('SELECT submission_id AS id FROM civic_erasures').map(({ id }) => id));
  }

  erasedCount(): number {
    return this.#sql.number('SELECT count(*) AS n FROM civic_erasures') ?? 0;
  }

  putErasure(submissionId: string, { check, pieces }: Erasure): void {
    const rows = pieces.map(({ member, prints }) => [
      member,
      prints.map(({ length, rolling, digest }) => [length, rolling, digest]),
    ]);
    const sql = 'INSERT OR REPLACE INTO civic_erasures VALUES (?, ?, ?)';
    this.#sql.run(sql, submissionId, check, JSON.stringify(rows));
  }

  scores(targetType: string, targetId: string): readonly ScoreCount[] {
    const sql = `SELECT json_extract(item, '$.axis') AS axis, json_extract(item, '$.score') AS score, count(*) AS count
      FROM civic_submissions WHERE target_type = ? AND target_id = ? AND type = 'rating' AND status = 'committed'
      GROUP BY 1, 2 ORDER BY 1, 2`;
    return this.#sql.all<ScoreCount>(sql, targetType, targetId).map((row) => ({ ...row }));
  }
}
