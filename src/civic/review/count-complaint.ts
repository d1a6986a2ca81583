import { REVIEW_LIMITS } from '../config.ts';
import type { Desk } from '../submissions/desk.ts';
import type { Concern } from '../submissions/item-types.ts';
import { openQueueItem } from './open-queue-item.ts';

/** Complaints about a provider, as a maintainer sees them. */
interface Complaints {
  readonly complaints: number;
  /** The latest of them. */
  readonly reports: readonly { readonly submission_id: string; readonly kind: string; readonly report: string }[];
}

/**
 * A concern on a provider is a complaint [V6]. It is counted in one open queue item per provider, visible to maintainers only: a public
 * list of complaints would be a ranking.
 */
export function countComplaint(desk: Desk, submissionId: string, { target_id, kind, report }: Concern): void {
  const open = desk.store
    .queueItems('open', 'provider_eligibility')
    .find((item) => item.targetType === 'provider' && item.targetId === target_id);
  const before = (open?.content ?? { complaints: 0, reports: [] }) as Complaints;
  const content: Complaints = {
    complaints: before.complaints + 1,
    reports: [...before.reports, { submission_id: submissionId, kind, report }].slice(
      -REVIEW_LIMITS.complaintsShownMax,
    ),
  };
  if (open) desk.store.updateQueueItem(open.queueId, { content });
  else {
    openQueueItem(desk, 'provider_eligibility', {
      reason: 'complaints',
      targetType: 'provider',
      targetId: target_id,
      content,
    });
  }
}
