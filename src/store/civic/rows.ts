import type { SourceHealth, Status, SubmissionType } from '../../civic/config.ts';
import type { ArtefactHead, ArtefactType } from '../../civic/lifecycle/artefact.ts';
import type { SourceRecord } from '../../civic/lifecycle/source-health.ts';
import type { QueueClass, QueueItem } from '../../civic/review/queue-item.ts';
import type { SubmissionRecord, SubmissionStatus } from '../../civic/submissions/submission-record.ts';

export interface SubmissionRow {
  readonly id: string;
  readonly session_id: string;
  readonly type: SubmissionType;
  readonly status: SubmissionStatus;
  readonly target_type: string | null;
  readonly target_id: string | null;
  readonly content_hash: string;
  readonly item: string;
  readonly received_at: number;
  readonly staged_until: number | null;
  readonly cancel_hash: string | null;
  readonly author: string | null;
  readonly is_probe: number;
  readonly counts_flag: number;
}

export interface ArtefactRow {
  readonly version: string;
  readonly state: string;
  readonly entered_at: number;
  readonly prior_state: string | null;
  readonly epoch: number;
  readonly dead_citation: number;
}

export interface SourceRow {
  readonly path_id: string;
  readonly source_id: string;
  readonly health: SourceHealth;
  readonly first_failure_at: number | null;
  readonly last_success_at: number | null;
}

export interface QueueRow {
  readonly queue_id: string;
  readonly class: QueueClass;
  readonly opened_at: number;
  readonly reason: string | null;
  readonly target_type: string | null;
  readonly target_id: string | null;
  readonly submission_id: string | null;
  readonly rules: string | null;
  readonly content: string;
  readonly decided_at: number | null;
  readonly decision: string | null;
  readonly note: string | null;
}

export function fromSubmissionRow(row: SubmissionRow): SubmissionRecord {
  return {
    id: row.id,
    sessionId: row.session_id,
    type: row.type,
    status: row.status,
    targetType: row.target_type ?? undefined,
    targetId: row.target_id ?? undefined,
    contentHash: row.content_hash,
    item: JSON.parse(row.item),
    receivedAt: row.received_at,
    stagedUntil: row.staged_until ?? undefined,
    cancelHash: row.cancel_hash ?? undefined,
    author: row.author ?? undefined,
    isProbe: row.is_probe === 1,
    countsFlag: row.counts_flag === 1,
  };
}

export function fromArtefactRow(type: ArtefactType, id: string, row: ArtefactRow): ArtefactHead {
  return {
    type,
    id,
    version: row.version,
    state: row.state as Status,
    enteredAt: row.entered_at,
    priorState: (row.prior_state as Status | null) ?? undefined,
    epoch: row.epoch,
    hasDeadCitation: row.dead_citation === 1,
  };
}

export function toSourceRecord(row: SourceRow): SourceRecord {
  return {
    health: row.health,
    firstFailureAt: row.first_failure_at ?? undefined,
    lastSuccessAt: row.last_success_at ?? undefined,
  };
}

export function fromQueueRow(row: QueueRow): QueueItem {
  return {
    queueId: row.queue_id,
    queueClass: row.class,
    openedAt: row.opened_at,
    reason: row.reason ?? undefined,
    targetType: row.target_type ?? undefined,
    targetId: row.target_id ?? undefined,
    submissionId: row.submission_id ?? undefined,
    rules: row.rules === null ? undefined : JSON.parse(row.rules),
    content: JSON.parse(row.content) ?? undefined,
    decidedAt: row.decided_at ?? undefined,
    decision: row.decision ?? undefined,
    note: row.note ?? undefined,
  };
}
