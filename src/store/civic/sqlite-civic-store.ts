import type { DatabaseSync } from 'node:sqlite';
import type { SubmissionType } from '../../civic/config.ts';
import type { Artefact, ArtefactHead, ArtefactType, Verdict, Vote } from '../../civic/lifecycle/artefact.ts';
import type { LifecycleChange, LifecycleEvent } from '../../civic/lifecycle/events.ts';
import type { SourceRecord } from '../../civic/lifecycle/source-health.ts';
import type { QueueItem, QueueState } from '../../civic/review/queue-item.ts';
import type { CivicStore, DayItem, MarkRole, PublicConcern } from '../../civic/submissions/civic-store.ts';
import type { CorpusChange } from '../../civic/submissions/corpus-change.ts';
import type { Item } from '../../civic/submissions/item-types.ts';
import type { SubmissionRecord } from '../../civic/submissions/submission-record.ts';
import { PreparedSql } from '../prepared-sql.ts';
import {
  type ArtefactRow,
  fromArtefactRow,
  fromQueueRow,
  fromSubmissionRow,
  type QueueRow,
  type SubmissionRow,
} from './rows.ts';
import { SqliteAmendments } from './sqlite-amendments.ts';
import { SqliteConcerns } from './sqlite-concerns.ts';
import { SqliteReview } from './sqlite-review.ts';
import { SqliteSources } from './sqlite-sources.ts';
import type { TurnTransaction } from './turn-transaction.ts';

const BUSY_CODES: ReadonlySet<number> = new Set([5, 6]);

function isBusy(thrown: unknown): boolean {
  const { errcode } = thrown as { errcode?: number };
  // The upper bits are extended codes.
  return errcode !== undefined && BUSY_CODES.has(errcode & 0xff);
}

/** The storage of the write side, on SQLite. */
export class SqliteCivicStore implements CivicStore {
  readonly amendments: SqliteAmendments;
  readonly review: SqliteReview;
  readonly concerns: SqliteConcerns;
  readonly #sql: PreparedSql;
  readonly #transaction: TurnTransaction;
  readonly #sources: SqliteSources;
  #intentsAdded = 0;

  constructor(database: DatabaseSync, transaction: TurnTransaction) {
    this.#sql = new PreparedSql(database);
    this.#sources = new SqliteSources(this.#sql);
    this.amendments = new SqliteAmendments(this.#sql);
    this.review = new SqliteReview(this.#sql);
    this.concerns = new SqliteConcerns(this.#sql);
    this.#transaction = transaction;
  }

  transact<T>(work: () => T): Promise<T> {
    return this.#transaction.run(work);
  }

  submission(id: string): SubmissionRecord | undefined {
    const row = this.#sql.get<SubmissionRow>('SELECT * FROM civic_submissions WHERE id = ?', id);
    return row && fromSubmissionRow(row);
  }

  insertSubmission(record: SubmissionRecord): void {
    this.#sql.run(
      `INSERT INTO civic_submissions (id, session_id, type, status, target_type, target_id, content_hash, item, received_at,
        staged_until, cancel_hash, author, is_probe, counts_flag) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      record.id,
      record.sessionId,
      record.type,
      record.status,
      record.targetType ?? null,
      record.targetId ?? null,
      record.contentHash,
      JSON.stringify(record.item),
      record.receivedAt,
      record.stagedUntil ?? null,
      record.cancelHash ?? null,
      record.author ?? null,
      Number(record.isProbe),
      Number(record.countsFlag),
    );
  }

  updateSubmission(id: string, change: Parameters<CivicStore['updateSubmission']>[1]): void {
    const before = this.submission(id);
    if (!before) return;
    const after = { ...before, ...change };
    this.#sql.run(
      'UPDATE civic_submissions SET status = ?, staged_until = ?, author = ?, cancel_hash = ? WHERE id = ?',
      after.status,
      after.stagedUntil ?? null,
      after.author ?? null,
      after.cancelHash ?? null,
      id,
    );
  }

  eraseSubmission(id: string, left: Item): void {
    this.#sql.run("UPDATE civic_submissions SET item = ?, content_hash = '' WHERE id = ?", JSON.stringify(left), id);
    this.#sql.run("UPDATE civic_queue SET content = 'null', note = NULL WHERE submission_id = ?", id);
    this.review.setVerdict(id, undefined);
    this.concerns.forget(id);
    this.#sql.run(
      "UPDATE civic_merges SET before = '', after = '' WHERE submission_id = ? AND reverted_at IS NOT NULL",
      id,
    );
  }

  isInOthers(id: string, text: string): boolean {
    const written = JSON.stringify(text).slice(1, -1);
    const sql = 'SELECT 1 FROM civic_submissions WHERE id <> ? AND instr(item, ?) > 0 LIMIT 1';
    return this.#sql.get(sql, id, written) !== undefined;
  }

  rewriteEnded(isMeant: (record: SubmissionRecord) => boolean, rewrite: (text: string) => string): void {
    const sql = `SELECT * FROM civic_submissions WHERE type = 'amendment' AND status IN ('merged', 'rejected', 'cancelled')`;
    for (const row of this.#sql.all<SubmissionRow>(sql)) {
      // The words contain nothing that JSON escapes.
      const item = rewrite(row.item);
      if (item === row.item || !isMeant(fromSubmissionRow(row))) continue;
      this.#sql.run('UPDATE civic_submissions SET item = ? WHERE id = ?', item, row.id);
    }
  }

  rejectedHolds(before: number): readonly string[] {
    const sql = `SELECT submission_id AS id FROM civic_queue WHERE class = 'ner_hold' AND decision IN ('reject', 'cancelled')
      AND decided_at <= ?1 AND content <> 'null' AND submission_id IS NOT NULL
      UNION ALL SELECT b.submission_id FROM civic_burst_concerns b JOIN civic_queue q ON q.queue_id = b.queue_id
      JOIN civic_submissions s ON s.id = b.submission_id
      WHERE q.decision = 'reject' AND q.decided_at <= ?1 AND s.status = 'rejected' AND s.content_hash <> ''`;
    return this.#sql.all<{ id: string }>(sql, before).map(({ id }) => id);
  }

  truncateWal(): void {
    this.#sql.get('PRAGMA wal_checkpoint(TRUNCATE)');
  }

  vacuum(): boolean {
    try {
      this.#sql.run('VACUUM');
    } catch (thrown) {
      if (!isBusy(thrown)) throw thrown;
      return false;
    }
    this.truncateWal();
    return true;
  }

  submissionsOfSession(sessionId: string): readonly SubmissionRecord[] {
    const rows = this.#sql.all<SubmissionRow>(
      'SELECT * FROM civic_submissions WHERE session_id = ? ORDER BY id',
      sessionId,
    );
    return rows.map(fromSubmissionRow);
  }

  stagedDue(now: number): readonly SubmissionRecord[] {
    const rows = this.#sql.all<SubmissionRow>(
      `SELECT * FROM civic_submissions WHERE status = 'staged' AND staged_until <= ? ORDER BY seq`,
      now,
    );
    return rows.map(fromSubmissionRow);
  }

  nextStagedAt(): number | undefined {
    return this.#sql.number(`SELECT min(staged_until) AS n FROM civic_submissions WHERE status = 'staged'`);
  }

  hasPendingDraft(type: string, id: string): boolean {
    const row = this.#sql.get(
      `SELECT 1 FROM civic_submissions WHERE target_type = ? AND target_id = ? AND type = 'draft'
        AND status IN ('received', 'staged', 'held_ner', 'committed')`,
      type,
      id,
    );
    return row !== undefined;
  }

  concernsOn(targetType: string, targetId: string): readonly PublicConcern[] {
    const rows = this.#sql.all<SubmissionRow & { state: string; reports: number }>(
      `SELECT s.*, a.state AS state, (SELECT count(*) FROM civic_joined_concerns j WHERE j.concern_id = s.id) + 1 AS reports
        FROM civic_submissions s JOIN civic_artefacts a ON a.type = 'concern' AND a.id = s.id
        WHERE s.target_type = ? AND s.target_id = ? AND s.type = 'concern' AND a.state IN ('alpha', 'beta', 'stable')
        ORDER BY s.id`,
      targetType,
      targetId,
    );
    return rows.map((row) => ({
      id: row.id,
      item: JSON.parse(row.item),
      state: row.state,
      receivedAt: row.received_at,
      reports: row.reports,
    }));
  }

  dayItems(dailyHash: string): readonly DayItem[] {
    const sql =
      'SELECT type, content_hash AS contentHash, submission_id AS submissionId FROM civic_day_items WHERE daily_hash = ?';
    return this.#sql.all<DayItem>(sql, dailyHash);
  }

  dayItemCount(dailyHash: string): number {
    return this.#sql.number('SELECT count(*) AS n FROM civic_day_items WHERE daily_hash = ?', dailyHash) ?? 0;
  }

  addDayItem(dailyHash: string, contentHash: string, submissionId: string, type: SubmissionType): void {
    this.#sql.run('INSERT INTO civic_day_items VALUES (?, ?, ?, ?)', dailyHash, contentHash, submissionId, type);
  }

  dayFlags(dailyHash: string): number {
    return this.#sql.number('SELECT flags AS n FROM civic_day_flags WHERE daily_hash = ?', dailyHash) ?? 0;
  }

  addDayFlag(dailyHash: string): void {
    this.#sql.run(
      'INSERT INTO civic_day_flags VALUES (?, 1) ON CONFLICT (daily_hash) DO UPDATE SET flags = flags + 1',
      dailyHash,
    );
  }

  forgetDay(): void {
    this.#sql.run('DELETE FROM civic_day_items');
    this.#sql.run('DELETE FROM civic_day_flags');
  }

  artefact(type: ArtefactType, id: string): Artefact | undefined {
    const head = this.artefactHead(type, id);
    if (!head) return undefined;
    const votes = this.#sql.all<Vote>(
      `SELECT seq, verdict, cast_at AS at FROM civic_votes
        WHERE type = ? AND id = ? AND epoch = ? AND voter IS NOT NULL ORDER BY seq`,
      type,
      id,
      head.epoch,
    );
    return { ...head, votes: votes.map((vote) => ({ ...vote })) };
  }

  artefactHead(type: ArtefactType, id: string): ArtefactHead | undefined {
    const row = this.#sql.get<ArtefactRow>('SELECT * FROM civic_artefacts WHERE type = ? AND id = ?', type, id);
    return row && fromArtefactRow(type, id, row);
  }

  saveArtefact(artefact: Artefact, dueAt: number | undefined): void {
    this.#sql.run(
      'INSERT OR REPLACE INTO civic_artefacts VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)',
      artefact.type,
      artefact.id,
      artefact.version,
      artefact.state,
      artefact.enteredAt,
      artefact.priorState ?? null,
      artefact.epoch,
      Number(artefact.hasDeadCitation),
      dueAt ?? null,
    );
  }

  artefactKeys(): readonly { type: ArtefactType; id: string }[] {
    return this.#sql.all('SELECT type, id FROM civic_artefacts ORDER BY type, id');
  }

  artefactsDue(now: number): readonly { type: ArtefactType; id: string }[] {
    return this.#sql.all('SELECT type, id FROM civic_artefacts WHERE due_at <= ? ORDER BY due_at, type, id', now);
  }

  nextArtefactAt(): number | undefined {
    return this.#sql.number('SELECT min(due_at) AS n FROM civic_artefacts WHERE due_at IS NOT NULL');
  }

  voteOf({ type, id, epoch }: Artefact, voter: string): number | undefined {
    const sql = 'SELECT seq AS n FROM civic_votes WHERE type = ? AND id = ? AND epoch = ? AND voter = ?';
    return this.#sql.number(sql, type, id, epoch, voter);
  }

  putVote(
    { type, id, epoch }: Artefact,
    vote: { voter: string | undefined; seq: number; verdict: Verdict; at: number },
  ): void {
    if (vote.voter !== undefined) {
      // The earlier vote of this address stays stored, without its voter.
      const sql = 'UPDATE civic_votes SET voter = NULL WHERE type = ? AND id = ? AND epoch = ? AND voter = ?';
      this.#sql.run(sql, type, id, epoch, vote.voter);
    }
    this.#sql.run(
      'INSERT INTO civic_votes VALUES (?, ?, ?, ?, ?, ?, ?)',
      vote.seq,
      type,
      id,
      epoch,
      vote.voter ?? null,
      vote.verdict,
      vote.at,
    );
  }

  marks(type: ArtefactType, id: string, role: MarkRole): readonly string[] {
    const sql = 'SELECT hash FROM civic_marks WHERE type = ? AND id = ? AND role = ?';
    return this.#sql.all<{ hash: string }>(sql, type, id, role).map((row) => row.hash);
  }

  addMark(type: ArtefactType, id: string, role: MarkRole, hash: string): void {
    this.#sql.run('INSERT OR IGNORE INTO civic_marks VALUES (?, ?, ?, ?)', type, id, role, hash);
  }

  dismissFlaggers(type: ArtefactType, id: string): void {
    this.#sql.run(
      `UPDATE OR REPLACE civic_marks SET role = 'dismissed_flagger' WHERE type = ? AND id = ? AND role = 'flagger'`,
      type,
      id,
    );
  }

  forgetHashes(type: ArtefactType, id: string): void {
    this.#sql.run('UPDATE civic_votes SET voter = NULL WHERE type = ? AND id = ? AND voter IS NOT NULL', type, id);
    this.#sql.run('DELETE FROM civic_marks WHERE type = ? AND id = ?', type, id);
    // Authors of drafts and concerns have their own salt, so their hashes stay when the target's are deleted.
    const about = type === 'path' ? [type, id, `${id}:`] : [type, id, ''];
    this.#sql.run(
      `UPDATE civic_submissions SET author = NULL WHERE author IS NOT NULL AND type NOT IN ('draft', 'concern')
        AND ((target_type = ?1 AND target_id = ?2)
        OR (?3 <> '' AND target_type = 'path_source' AND substr(target_id, 1, length(?3)) = ?3))`,
      ...about,
    );
  }

  source(pathId: string, sourceId: string): SourceRecord | undefined {
    return this.#sources.find(pathId, sourceId);
  }

  saveSource(pathId: string, sourceId: string, record: SourceRecord): void {
    this.#sources.save(pathId, sourceId, record);
  }

  sourcesRevision(): string {
    return this.#sources.revision();
  }

  sources(): readonly { pathId: string; sourceId: string; record: SourceRecord }[] {
    return this.#sources.all();
  }

  appendEvent(type: ArtefactType, id: string, at: number, change: LifecycleChange): LifecycleEvent {
    const sql = 'INSERT INTO civic_events (at, type, id, change) VALUES (?, ?, ?, ?)';
    const { lastInsertRowid } = this.#sql.run(sql, at, type, id, JSON.stringify(change));
    return { ...change, seq: Number(lastInsertRowid), at, type, id };
  }

  *events(): Iterable<LifecycleEvent> {
    const rows = this.#sql.iterate('SELECT * FROM civic_events ORDER BY seq');
    for (const row of rows as Iterable<{ seq: number; at: number; type: ArtefactType; id: string; change: string }>) {
      yield { ...(JSON.parse(row.change) as LifecycleChange), seq: row.seq, at: row.at, type: row.type, id: row.id };
    }
  }

  insertQueueItem(item: QueueItem): void {
    this.#sql.run(
      `INSERT INTO civic_queue (queue_id, class, opened_at, reason, target_type, target_id, submission_id, rules, content,
        decided_at, decision, note) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      item.queueId,
      item.queueClass,
      item.openedAt,
      item.reason ?? null,
      item.targetType ?? null,
      item.targetId ?? null,
      item.submissionId ?? null,
      item.rules ? JSON.stringify(item.rules) : null,
      JSON.stringify(item.content ?? null),
      item.decidedAt ?? null,
      item.decision ?? null,
      item.note ?? null,
    );
  }

  queueItem(queueId: string): QueueItem | undefined {
    const row = this.#sql.get<QueueRow>('SELECT * FROM civic_queue WHERE queue_id = ?', queueId);
    return row && fromQueueRow(row);
  }

  queueItems(state: QueueState, queueClass: string | undefined): readonly QueueItem[] {
    const rows = this.#sql.all<QueueRow>(
      `SELECT * FROM civic_queue WHERE decided_at IS ${state === 'open' ? '' : 'NOT '}NULL AND (?1 IS NULL OR class = ?1)
        ORDER BY opened_at, seq`,
      queueClass ?? null,
    );
    return rows.map(fromQueueRow);
  }

  updateQueueItem(queueId: string, change: Parameters<CivicStore['updateQueueItem']>[1]): void {
    const before = this.queueItem(queueId);
    if (!before) return;
    const after = { ...before, ...change };
    this.#sql.run(
      'UPDATE civic_queue SET decided_at = ?, decision = ?, note = ?, content = ? WHERE queue_id = ?',
      after.decidedAt ?? null,
      after.decision ?? null,
      after.note ?? null,
      JSON.stringify(after.content ?? null),
      queueId,
    );
  }

  addIntent(change: CorpusChange): void {
    this.#intentsAdded++;
    this.#sql.run('INSERT INTO civic_intents (change) VALUES (?)', JSON.stringify(change));
  }

  intentsAdded(): number {
    return this.#intentsAdded;
  }

  intents(): readonly { seq: number; change: CorpusChange }[] {
    const rows = this.#sql.all<{ seq: number; change: string }>('SELECT * FROM civic_intents ORDER BY seq');
    return rows.map((row) => ({ seq: row.seq, change: JSON.parse(row.change) }));
  }

  removeIntent(seq: number): void {
    this.#sql.run('DELETE FROM civic_intents WHERE seq = ?', seq);
  }

  removedProviders(): ReadonlySet<string> {
    return new Set(this.#sql.all<{ id: string }>('SELECT id FROM civic_removed_providers').map((row) => row.id));
  }

  setProviderRemoved(id: string, cause: string | undefined): void {
    if (cause === undefined) this.#sql.run('DELETE FROM civic_removed_providers WHERE id = ?', id);
    else this.#sql.run('INSERT OR REPLACE INTO civic_removed_providers VALUES (?, ?)', id, cause);
  }

  note(name: string): string | undefined {
    return this.#sql.get<{ value: string }>('SELECT value FROM civic_notes WHERE name = ?', name)?.value;
  }

  setNote(name: string, value: string): void {
    this.#sql.run('INSERT OR REPLACE INTO civic_notes VALUES (?, ?)', name, value);
  }
}
