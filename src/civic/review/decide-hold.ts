import { BinderyError } from '../../contract/errors.ts';
import { nextStatus, rejectByMaintainer, takeEffect } from '../submissions/commit-submission.ts';
import type { Desk } from '../submissions/desk.ts';
import type { SubmissionRecord } from '../submissions/submission-record.ts';
import { refuseSelfValidation, requireTarget } from '../submissions/targets.ts';
import { splitBurst } from './concern-burst.ts';
import type { QueueItem } from './queue-item.ts';
import { redactHold } from './redact-hold.ts';

/** Excludes from a release the text that the maintainer has not read or wants redacted. */
export function prepareRelease(
  desk: Desk,
  item: QueueItem,
  { through, redact }: { readonly through?: number | undefined; readonly redact: boolean },
): void {
  splitBurst(desk, item, through);
  if (redact && item.queueClass === 'ner_hold') redactHold(desk, item);
}

/** A released submission continues as if just received; it is rejected if its target no longer accepts it [MQ3]. */
export function decideHold(desk: Desk, record: SubmissionRecord, isReleased: boolean): void {
  if (record.status !== 'held_ner' && record.status !== 'received') return;
  if (!isReleased || !isStillApplicable(desk, record)) {
    rejectByMaintainer(desk, record);
    return;
  }
  const next = nextStatus(record.type, desk.clock.now());
  desk.store.updateSubmission(record.id, next.status === 'staged' ? next : { ...next, author: undefined });
  takeEffect(desk, record);
}

function isStillApplicable(desk: Desk, record: SubmissionRecord): boolean {
  const { item } = record;
  try {
    if (item.type === 'draft') return !desk.store.artefact(item.target_type, item.proposed_id);
    const artefact = requireTarget(desk, item);
    if (item.type === 'validation' && artefact && !record.isProbe) refuseSelfValidation(desk, artefact, record.author);
    return true;
  } catch (thrown) {
    if (thrown instanceof BinderyError) return false;
    throw thrown;
  }
}
