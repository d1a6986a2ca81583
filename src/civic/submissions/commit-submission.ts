import { STAGING_HOURS } from '../config.ts';
import { castValidation } from '../lifecycle/cast-validation.ts';
import { recordEvent, saltKey } from '../lifecycle/record-event.ts';
import { HOUR_MS } from '../lifecycle/tally.ts';
import { countComplaint } from '../review/count-complaint.ts';
import { openQueueItem } from '../review/open-queue-item.ts';
import type { SubmissionRecord } from './civic-store.ts';
import type { Desk } from './desk.ts';
import { mergeAmendment } from './merge-amendment.ts';

/** What a concern is an artefact of: it has one version only [K3]. */
export const CONCERN_VERSION = '1.0.0';

/** The key of the salt that a draft's author is hashed with until it is an artefact [PV1]. */
export function draftSaltKey(submissionId: string): string {
  return `submission:${submissionId}`;
}

/** Whether a submission waits a day, in which its sender can take it back [SU22]. */
export function isStaged(type: SubmissionRecord['type']): boolean {
  return type === 'draft' || type === 'amendment';
}

export function stagedUntil(now: number): number {
  return now + STAGING_HOURS * HOUR_MS;
}

/** What becomes of a submission that nothing holds back: it is staged, or takes effect at once. */
export function nextStatus(
  type: SubmissionRecord['type'],
  now: number,
): Pick<SubmissionRecord, 'status' | 'stagedUntil'> {
  return isStaged(type)
    ? { status: 'staged', stagedUntil: stagedUntil(now) }
    : { status: 'committed', stagedUntil: undefined };
}

/** Lets a committed submission take effect. */
export function takeEffect(desk: Desk, record: SubmissionRecord): void {
  const { item } = record;
  if (item.type === 'concern' && item.target_type === 'provider') countComplaint(desk, record.id, item);
  else if (item.type === 'concern') {
    recordEvent(desk, 'concern', record.id, { kind: 'adopted', version: CONCERN_VERSION, state: 'alpha' });
    if (record.author !== undefined) desk.store.addMark('concern', record.id, 'submitter', record.author);
  }
  if (item.type === 'validation') castValidation(desk, record, item);
  if (item.type === 'feedback') {
    openQueueItem(desk, 'feedback_triage', { submissionId: record.id, content: item });
  }
}

/** Ends the staging of what is due: amendments merge or fall, drafts go before a maintainer [L8, MQ3]. */
export function advanceStaged(desk: Desk): void {
  for (const record of desk.store.stagedDue(desk.clock.now())) {
    if (record.item.type === 'draft') {
      desk.store.updateSubmission(record.id, { status: 'committed', stagedUntil: undefined });
      openQueueItem(desk, 'draft_review', {
        targetType: record.targetType,
        targetId: record.targetId,
        submissionId: record.id,
        content: record.item,
      });
    } else if (record.item.type === 'amendment') {
      const refusal = mergeAmendment(desk, record, record.item);
      if (refusal) desk.log.info('amendment rejected', { submission_id: record.id, code: refusal });
      const status = refusal ? 'rejected' : 'merged';
      desk.store.updateSubmission(record.id, {
        status,
        stagedUntil: undefined,
        author: undefined,
      });
    }
  }
}

/** Takes a submission out for good, with what was kept of its address. */
export function dropSubmission(
  { store, salts }: Desk,
  record: SubmissionRecord,
  status: 'rejected' | 'cancelled',
): void {
  store.updateSubmission(record.id, { status, stagedUntil: undefined, author: undefined });
  if (record.type === 'draft') salts.destroy(draftSaltKey(record.id));
  if (record.type === 'concern') salts.destroy(saltKey('concern', record.id));
}
