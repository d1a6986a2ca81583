import { rejectByMaintainer } from '../submissions/commit-submission.ts';
import type { Desk } from '../submissions/desk.ts';
import { acceptAmendment } from '../submissions/settle-amendment.ts';
import type { SubmissionRecord } from '../submissions/submission-record.ts';
import { revertMerge } from './revert-merge.ts';

/** If it is merged already, accepting keeps the merge and rejecting reverts it. */
export function decideAmendment(desk: Desk, record: SubmissionRecord, isAccepted: boolean): void {
  if (record.status === 'merged') {
    if (isAccepted) desk.store.amendments.markReviewed(record.id);
    else if (desk.store.amendments.merge(record.id)?.revertedAt === undefined) revertMerge(desk, record.id);
  } else if (isAccepted) acceptAmendment(desk, record);
  else rejectByMaintainer(desk, record);
}
