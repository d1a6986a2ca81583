import { timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import { BinderyError } from '../../contract/errors.ts';
import { dropSubmission } from './commit-submission.ts';
import { sha256 } from './content-hash.ts';
import type { Desk } from './desk.ts';

export const CancelAnswer = z.object({ submission_id: z.string(), status: z.literal('cancelled') });
export type CancelAnswer = z.output<typeof CancelAnswer>;

const NOBODYS = sha256('');

/** Cancels a staged or held submission. An unknown id and a wrong token get the same answer [SU22]. */
export function cancelSubmission(desk: Desk, id: string, token: string): Promise<CancelAnswer> {
  return desk.store.transact(() => {
    const record = desk.store.submission(id);
    const isRight = timingSafeEqual(Buffer.from(record?.cancelHash ?? NOBODYS), Buffer.from(sha256(token)));
    if (!record || !isRight || token === '') throw new BinderyError('target_not_found');
    if (record.status === 'cancelled') return { submission_id: id, status: 'cancelled' };
    if (record.status !== 'staged' && record.status !== 'held_ner') throw new BinderyError('not_cancellable');
    dropSubmission(desk, record, 'cancelled');
    const open = [...desk.store.queueItems('open', 'ner_hold'), ...desk.store.queueItems('open', 'amendment_review')];
    for (const item of open) {
      if (item.submissionId !== id) continue;
      desk.store.updateQueueItem(item.queueId, { decision: 'cancelled', decidedAt: desk.clock.now() });
    }
    return { submission_id: id, status: 'cancelled' };
  });
}
