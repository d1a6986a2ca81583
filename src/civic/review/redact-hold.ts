import { DETECTED } from '../scrub/detector.ts';
import { type Finding, scrubSubmission } from '../scrub/scrub-submission.ts';
import type { Desk } from '../submissions/desk.ts';
import { pathOf, valueAt } from '../submissions/faults.ts';
import { fieldKindsOf } from '../submissions/field-kinds.ts';
import type { Item } from '../submissions/item-types.ts';
import type { QueueItem } from './queue-item.ts';
import { REDACTED } from './written-texts.ts';

/** Removes the findings of the scrub from a held submission, before it is released. */
export function redactHold({ store }: Desk, item: QueueItem): void {
  const record = store.submission(item.submissionId ?? '');
  if (!record) return;
  // Findings of detectors are stored in the item; the rules run again.
  const { holds: asked = [] } = (item.content ?? {}) as { holds?: readonly Finding[] };
  const { holds } = scrubSubmission(record.item, fieldKindsOf(record.item));
  const own = asked.filter(({ rule, end, start }) => rule === DETECTED && end > start);
  store.eraseSubmission(record.id, redacted(record.item, [...holds, ...own]));
}

function redacted(item: Item, holds: readonly Finding[]): Item {
  const copy = structuredClone(item) as Item;
  const byPlace = [...holds].sort((a, b) => b.start - a.start);
  for (const { pointer, start, end, ...found } of byPlace) {
    const path = pathOf(pointer);
    const [parent, name] = [valueAt(copy, path.slice(0, -1)), path.at(-1)];
    const text = valueAt(copy, path);
    if ('in_key' in found || typeof text !== 'string' || typeof parent !== 'object' || parent === null) continue;
    Object.assign(parent, { [name as string]: text.slice(0, start) + REDACTED + text.slice(end) });
  }
  return copy;
}
