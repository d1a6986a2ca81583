import { z } from 'zod';
import { BinderyError } from '../../contract/errors.ts';
import { REVIEW_LIMITS } from '../config.ts';
import { HOUR_MS } from '../lifecycle/tally.ts';
import type { Desk } from '../submissions/desk.ts';
import { QUEUE_CLASSES, type QueueItem } from './queue-item.ts';
import type { Claim } from './review-store.ts';

/** A queue item as lists show it. */
export const QueueEntry = z.object({
  queue_id: z.string(),
  class: z.enum(QUEUE_CLASSES),
  opened_at: z.string(),
  reason: z.string().optional(),
  target_type: z.string().optional(),
  target_id: z.string().optional(),
  submission_id: z.string().optional(),
  rules: z.array(z.string()).optional(),
  claimed_by: z.string().optional(),
  claimed_until: z.string().optional(),
  decided_at: z.string().optional(),
  decision: z.string().optional(),
});
export type QueueEntry = z.output<typeof QueueEntry>;

/** Warns that a decision is stored but not in the folder yet. */
export const SettledWarning = z
  .string()
  .optional()
  .describe('Says that the corpus folder is not written yet, and why.');

export function toQueueEntry(desk: Desk, item: QueueItem): QueueEntry {
  const claim = liveClaim(desk, item.queueId);
  return {
    queue_id: item.queueId,
    class: item.queueClass,
    opened_at: iso(item.openedAt),
    ...(item.reason === undefined ? {} : { reason: item.reason }),
    ...(item.targetType === undefined ? {} : { target_type: item.targetType }),
    ...(item.targetId === undefined ? {} : { target_id: item.targetId }),
    ...(item.submissionId === undefined ? {} : { submission_id: item.submissionId }),
    ...(item.rules === undefined ? {} : { rules: [...item.rules] }),
    ...(claim ? { claimed_by: claim.by, claimed_until: iso(claimedUntil(claim)) } : {}),
    ...(item.decidedAt === undefined ? {} : { decided_at: iso(item.decidedAt) }),
    ...(item.decision === undefined ? {} : { decision: item.decision }),
  };
}

/** The claim on an item, unless it has expired. */
export function liveClaim({ store, clock }: Desk, queueId: string): Claim | undefined {
  const claim = store.review.claim(queueId);
  return claim && clock.now() < claimedUntil(claim) ? claim : undefined;
}

/** Refuses a maintainer if another one claimed the item, unless they take it over. */
export function requireUnclaimed(
  desk: Desk,
  queueId: string,
  { by, take = false }: { readonly by?: string | undefined; readonly take?: boolean | undefined },
): void {
  const held = liveClaim(desk, queueId);
  if (!held || held.by === by || take) return;
  throw new BinderyError('already_claimed', {
    detail: `${held.by} claimed it until ${iso(claimedUntil(held))}.`,
    members: { claimed_by: held.by },
  });
}

export function claimedUntil({ at }: Claim): number {
  return at + REVIEW_LIMITS.claimHours * HOUR_MS;
}

export function iso(at: number): string {
  return new Date(at).toISOString();
}
