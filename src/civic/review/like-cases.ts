import { REVIEW_LIMITS } from '../config.ts';
import type { Desk } from '../submissions/desk.ts';
import type { Case } from './case-shape.ts';
import { iso } from './queue-entry.ts';
import type { QueueItem } from './queue-item.ts';

/** Earlier decisions on similar items of the same class, most similar first. */
export function likeCases({ store }: Desk, item: QueueItem): Case['earlier'] {
  return store.review
    .decided(item.queueClass, REVIEW_LIMITS.likeCasesSearched)
    .filter(({ queueId }) => queueId !== item.queueId)
    .map((other) => ({ other, alike: inCommon(item, other) }))
    .filter(({ alike }) => alike.length > 0)
    .sort((a, b) => b.alike.length - a.alike.length)
    .slice(0, REVIEW_LIMITS.likeCasesMax)
    .map(({ other, alike }) => ({
      queue_id: other.queueId,
      decision: other.decision as string,
      decided_at: iso(other.decidedAt as number),
      alike,
      ...(other.targetType === undefined ? {} : { target_type: other.targetType }),
      ...(other.targetId === undefined ? {} : { target_id: other.targetId }),
      ...(other.note === undefined ? {} : { note: other.note }),
    }));
}

function inCommon(item: QueueItem, other: QueueItem): string[] {
  const fields = new Set(protectedFields(other));
  return [
    ...(item.targetId !== undefined && item.targetType === other.targetType && item.targetId === other.targetId
      ? ['target']
      : []),
    ...(item.reason !== undefined && item.reason === other.reason ? [`reason ${item.reason}`] : []),
    ...(item.rules ?? []).filter((rule) => other.rules?.includes(rule)).map((rule) => `rule ${rule}`),
    ...protectedFields(item)
      .filter((field) => fields.has(field) && field !== item.reason)
      .map((field) => `field ${field}`),
  ];
}

function protectedFields({ content }: QueueItem): string[] {
  const changes = (content as { protected?: readonly { field: string }[] } | undefined)?.protected ?? [];
  return changes.map(({ field }) => field);
}
