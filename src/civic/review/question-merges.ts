import { HARM_LIMITS } from '../config.ts';
import type { Artefact } from '../lifecycle/artefact.ts';
import type { FiledType } from '../submissions/corpus-change.ts';
import type { Desk } from '../submissions/desk.ts';
import { openQueueItem } from './open-queue-item.ts';

const DAY_MS = 86_400_000;

/**
 * After a reader's rejection, sends every recent unreviewed merge of the artefact to a maintainer, once. Rejecting there reverts the merge.
 */
export function questionMerges(desk: Desk, { type, id }: Artefact): void {
  const { store, clock } = desk;
  if (type === 'concern') return;
  const since = clock.now() - HARM_LIMITS.watched_days * DAY_MS;
  const merges = store.amendments.unreviewed({ type: type as FiledType, id }, since);
  if (merges.length === 0) return;
  const asked = new Set(store.queueItems('open', 'amendment_review').map(({ submissionId }) => submissionId));
  for (const { submissionId, version } of merges) {
    const record = store.submission(submissionId);
    if (!record || asked.has(submissionId)) continue;
    openQueueItem(desk, 'amendment_review', {
      reason: 'rejected_after_merge',
      targetType: record.targetType,
      targetId: record.targetId,
      submissionId,
      content: { item: record.item, merged_as: version },
    });
  }
}
