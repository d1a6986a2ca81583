import { z } from 'zod';
import type { HttpParts } from '../../contract/operation.ts';
import { REVIEW_LIMITS } from '../config.ts';
import { fromQuery } from '../reads/http-input.ts';
import type { Desk } from '../submissions/desk.ts';
import { fault, faultsError } from '../submissions/faults.ts';
import type { Concern, Item } from '../submissions/item-types.ts';
import { openQueueItem } from './open-queue-item.ts';
import type { QueueItem } from './queue-item.ts';

export const CONCERN_BURST = 'concern_burst';

/** The first concern to show. */
export const BurstFrom = z.int().min(1).default(1).describe('Of a burst: show its concerns from this one on.');

/** A page of a burst's concerns, as they would be listed. */
export interface BurstPage {
  readonly concerns: number;
  readonly from: number;
  /** The last one on this page. */
  readonly through: number;
  readonly reports: readonly { readonly submission_id: string }[];
}

/** Holds a concern beyond the daily limit of its target. All concerns of a burst share one queue item. */
export function holdInBurst(desk: Desk, submissionId: string, { target_type, target_id }: Concern): void {
  const { concerns } = desk.store;
  const queueId = concerns.burstOf(target_type, target_id) ?? openBurst(desk, target_type, target_id);
  concerns.addToBurst(submissionId, queueId);
}

function openBurst(desk: Desk, targetType: string | undefined, targetId: string | undefined): string {
  return openQueueItem(desk, 'ner_hold', { reason: CONCERN_BURST, targetType, targetId });
}

/** The submissions of a burst item; none if the item is not about a burst. */
export function burstOf({ store }: Desk, { queueId, reason }: QueueItem): readonly string[] {
  return reason === CONCERN_BURST ? store.concerns.inBurst(queueId) : [];
}

/** A page of a burst item; undefined if the item is not about a burst. */
export function burstPage(desk: Desk, item: QueueItem, from: number): BurstPage | undefined {
  if (item.reason !== CONCERN_BURST) return undefined;
  const ids = burstOf(desk, item);
  const shown = ids.slice(from - 1, from - 1 + REVIEW_LIMITS.burstPageMax);
  const reports = shown.map((id) => {
    const { type: _, ...said } = (desk.store.submission(id)?.item ?? {}) as Partial<Item>;
    return { submission_id: id, ...said };
  });
  return { concerns: ids.length, from, through: Math.min(ids.length, from - 1 + shown.length), reports };
}

/** Keeps the concerns that a maintainer has read in the item; moves the others to a new item. */
export function splitBurst(desk: Desk, item: QueueItem, through: number | undefined): void {
  if (item.reason !== CONCERN_BURST) return;
  const { length } = burstOf(desk, item);
  if (through === undefined || through > length) {
    const show = `bindery civic show ${item.queueId}`;
    const message = `must say how many of the ${length} concerns you have read; see them with \`${show}\``;
    throw faultsError('schema_invalid', [fault('/through', through === undefined ? 'required' : 'maximum', message)]);
  }
  if (through === length) return;
  desk.store.concerns.moveBurst(item.queueId, through, openBurst(desk, item.targetType, item.targetId));
}

/** Reads the burst page from a query. */
export function fromBurstQuery(parts: HttpParts): unknown {
  const { from, ...others } = fromQuery('from')(parts) as Record<string, string>;
  return { ...others, ...(from === undefined ? {} : { from: /^\d{1,9}$/.test(from) ? Number(from) : from }) };
}
