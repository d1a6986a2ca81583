import { detectIn } from '../scrub/detector.ts';
import type { Desk } from './desk.ts';
import { fieldKindsOf } from './field-kinds.ts';
import type { Amendment, Item } from './item-types.ts';
import { protectedChangesOf } from './merge-amendment.ts';
import type { ReadItem } from './read-request.ts';
import { refuseFindings } from './scrub-item.ts';
import { findAcrossItems } from './split-items.ts';

/** Shorter items are checked synchronously: yielding to the event loop would cost more. */
const LONG_CHARS = 4096;

/**
 * Runs the detectors, and for a long item also the expensive checks before its transaction: the scrub, then the protected fields, yielding
 * to the event loop in between. Both results are cached, so that receiving the item is cheap.
 */
export async function prepareItem(desk: Desk, read: ReadItem): Promise<ReadItem> {
  const { item } = read;
  const detected = await detectIn(desk.detectors, item, fieldKindsOf(item));
  if (!isLong(item)) return { ...read, detected };
  await nextTurn();
  const scrubbed = desk.scrub(item, fieldKindsOf(item));
  await nextTurn();
  if (item.type === 'amendment' && scrubbed.rejects.length === 0) {
    protectedChangesOf(desk, scrubbed.cleaned as Amendment);
    await nextTurn();
  }
  return { ...read, detected, scrubbed };
}

function isLong(item: Item): boolean {
  if (item.type !== 'draft' && item.type !== 'amendment') return false;
  return JSON.stringify(item.content).length > LONG_CHARS;
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Refuses an item of an envelope in which a number begins that ends in the next item. */
export function splitRefusal(items: readonly unknown[]): (index: number) => void {
  const split = findAcrossItems(items);
  return (index) => refuseFindings(split.get(index) ?? []);
}
