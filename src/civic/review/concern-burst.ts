import { REVIEW_LIMITS } from '../config.ts';
import type { Desk } from '../submissions/desk.ts';
import type { Concern } from '../submissions/item-types.ts';
import { openQueueItem } from './open-queue-item.ts';
import type { QueueItem } from './queue-item.ts';

export const CONCERN_BURST = 'concern_burst';

/** What a maintainer reads of a burst. */
interface Burst {
  /** Counted exactly up to the quotes, and in steps from there on. */
  readonly concerns: number;
  /** The first of them. */
  readonly reports: readonly { readonly submission_id: string; readonly kind: string; readonly report: string }[];
}

/** Holds a concern that is one too many for its target today: all of them are one question, whatever their number. */
export function holdInBurst(desk: Desk, submissionId: string, { target_type, target_id, kind, report }: Concern): void {
  const { store } = desk;
  const quote = { submission_id: submissionId, kind, report };
  const known = store.concerns.burstOf(target_type, target_id);
  if (known === undefined) {
    const content: Burst = { concerns: 1, reports: [quote] };
    const queueId = openQueueItem(desk, 'ner_hold', {
      reason: CONCERN_BURST,
      targetType: target_type,
      targetId: target_id,
      content,
    });
    store.concerns.addToBurst(submissionId, queueId);
    return;
  }
  const concerns = store.concerns.addToBurst(submissionId, known);
  if (concerns > REVIEW_LIMITS.burstQuotesMax && concerns % REVIEW_LIMITS.burstCountEvery !== 0) return;
  const { reports } = (store.queueItem(known)?.content ?? { reports: [] }) as Pick<Burst, 'reports'>;
  const quoted = reports.length < REVIEW_LIMITS.burstQuotesMax ? [...reports, quote] : reports;
  store.updateQueueItem(known, { content: { concerns, reports: quoted } satisfies Burst });
}

/** The submissions that a question about a burst is about; none: it is about something else. */
export function burstOf({ store }: Desk, { queueId, reason }: QueueItem): readonly string[] {
  return reason === CONCERN_BURST ? store.concerns.inBurst(queueId) : [];
}
