import { FailureReport } from '../../contract/failure-report.ts';
import { STAGING_HOURS } from '../config.ts';
import { castValidation } from '../lifecycle/cast-validation.ts';
import { recordEvent, saltKey } from '../lifecycle/record-event.ts';
import { HOUR_MS } from '../lifecycle/tally.ts';
import { countComplaint } from '../review/count-complaint.ts';
import { openQueueItem } from '../review/open-queue-item.ts';
import { CONCERN_VERSION } from './concern-version.ts';
import type { Desk } from './desk.ts';
import { joinConcern } from './join-concern.ts';
import { amendmentSaltKey, settleAmendment, voteOnAmendment } from './settle-amendment.ts';
import type { SubmissionRecord } from './submission-record.ts';

/** How long a failed submission stays staged: less than the interval of the job, so that the next run retries it. */
const RETRY_MS = 50_000;

/** The key of the salt for a draft's author hash, until the draft is an artefact [PV1]. */
export function draftSaltKey(submissionId: string): string {
  return `submission:${submissionId}`;
}

/** Whether a submission waits a day, during which its sender can cancel it [SU22]. */
export function isStaged(type: SubmissionRecord['type']): boolean {
  return type === 'draft' || type === 'amendment';
}

export function stagedUntil(now: number): number {
  return now + STAGING_HOURS * HOUR_MS;
}

/** The status of a submission that is not held: staged, or committed at once. */
export function nextStatus(
  type: SubmissionRecord['type'],
  now: number,
): Pick<SubmissionRecord, 'status' | 'stagedUntil'> {
  return isStaged(type)
    ? { status: 'staged', stagedUntil: stagedUntil(now) }
    : { status: 'committed', stagedUntil: undefined };
}

/** Applies a committed submission. */
export function takeEffect(desk: Desk, record: SubmissionRecord): void {
  const { item } = record;
  if (item.type === 'concern' && item.target_type === 'provider') countComplaint(desk, record.id, item);
  else if (item.type === 'concern' && joinConcern(desk, record.id, item)) {
    desk.salts.destroy(saltKey('concern', record.id));
  } else if (item.type === 'concern') {
    recordEvent(desk, 'concern', record.id, { kind: 'adopted', version: CONCERN_VERSION, state: 'alpha' });
    if (record.author !== undefined) desk.store.addMark('concern', record.id, 'submitter', record.author);
  }
  if (item.type === 'validation' && item.target_type === 'amendment') {
    voteOnAmendment(desk, item, { voter: record.author, isProbe: record.isProbe });
  } else if (item.type === 'validation') castValidation(desk, record, item);
  if (item.type === 'feedback') {
    openQueueItem(desk, 'feedback_triage', { submissionId: record.id, content: item });
  }
}

/** Ends the staging of due submissions, each in a transaction of its own: one that fails is retried and does not block the others. */
export async function advanceStaged(desk: Desk): Promise<void> {
  const { store, clock } = desk;
  const due = store.stagedDue(clock.now());
  const report = stagingReport(desk);
  let failed = false;
  for (const { id } of due) {
    try {
      await store.transact(() => endStaging(desk, store.submission(id)));
    } catch (error) {
      failed = true;
      report.failed(error);
      await store.transact(() => postpone(desk, id)).catch((error) => report.failed(error));
    }
  }
  if (due.length > 0 && !failed) report.succeeded();
}

/** Amendments merge, are rejected, or wait for their gate; drafts go to a maintainer [L8, MQ3]. Cancelled ones stay cancelled. */
function endStaging(desk: Desk, record: SubmissionRecord | undefined): void {
  if (record?.status !== 'staged') return;
  if (record.item.type === 'draft') {
    desk.store.updateSubmission(record.id, { status: 'committed', stagedUntil: undefined });
    openQueueItem(desk, 'draft_review', {
      targetType: record.targetType,
      targetId: record.targetId,
      submissionId: record.id,
      content: record.item,
    });
  } else if (record.item.type === 'amendment') {
    settleAmendment(desk, record, record.item);
  }
}

function postpone({ store, clock }: Desk, id: string): void {
  if (store.submission(id)?.status === 'staged') store.updateSubmission(id, { stagedUntil: clock.now() + RETRY_MS });
}

/** One report per desk, because a failure repeats with every job. */
const reports = new WeakMap<Desk, FailureReport>();

function stagingReport(desk: Desk): FailureReport {
  const known = reports.get(desk);
  if (known) return known;
  const report = new FailureReport(desk.log, {
    failing: 'a staged submission could not be processed; the next job retries',
    again: 'staged submissions are processed again',
  });
  reports.set(desk, report);
  return report;
}

/** Ends a submission and deletes its address hashes. */
export function dropSubmission(
  { store, salts }: Desk,
  record: SubmissionRecord,
  status: 'rejected' | 'cancelled',
): void {
  store.updateSubmission(record.id, { status, stagedUntil: undefined, author: undefined });
  if (record.type === 'draft') salts.destroy(draftSaltKey(record.id));
  if (record.type === 'amendment') {
    store.amendments.forget(record.id);
    salts.destroy(amendmentSaltKey(record.id));
  }
  if (record.type === 'concern') salts.destroy(saltKey('concern', record.id));
}

/** The sender sees that a maintainer decided; the reason is in the queue. */
export function rejectByMaintainer(desk: Desk, record: SubmissionRecord): void {
  dropSubmission(desk, record, 'rejected');
  desk.store.amendments.setOutcome(record.id, 'rejected_by_maintainer');
}
