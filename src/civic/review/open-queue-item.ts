import type { Desk } from '../submissions/desk.ts';
import { mintId } from '../submissions/ids.ts';
import type { QueueClass, QueueItem } from './queue-item.ts';

type Given = Partial<Pick<QueueItem, 'reason' | 'targetType' | 'targetId' | 'submissionId' | 'rules' | 'content'>>;

/** Opens a queue item for the maintainers. */
export function openQueueItem({ store, clock, random }: Desk, queueClass: QueueClass, given: Given): string {
  const queueId = mintId('que', clock, random);
  store.insertQueueItem({
    queueId,
    queueClass,
    openedAt: clock.now(),
    reason: given.reason,
    targetType: given.targetType,
    targetId: given.targetId,
    submissionId: given.submissionId,
    rules: given.rules,
    content: given.content,
    decidedAt: undefined,
    decision: undefined,
    note: undefined,
  });
  return queueId;
}
