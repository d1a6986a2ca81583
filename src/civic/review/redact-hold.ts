import { DETECTED } from '../scrub/detector.ts';
import type { Span } from '../scrub/digit-chains.ts';
import { kindsBy } from '../scrub/field-kinds.ts';
import { wholeUrlPart } from '../scrub/find-in-urls.ts';
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
  const kindOf = kindsBy(fieldKindsOf(item));
  for (const [pointer, found] of Map.groupBy(holds, (one) => one.pointer)) {
    const path = pathOf(pointer);
    const [parent, name] = [valueAt(copy, path.slice(0, -1)), path.at(-1)];
    const text = valueAt(copy, path);
    if (typeof text !== 'string' || typeof parent !== 'object' || parent === null) continue;
    const places = found
      .filter((one) => !('in_key' in one))
      .map((place) => wholeUrlPart(text, kindOf(path.map(String)), place));
    Object.assign(parent, { [name as string]: withoutPlaces(text, places) });
  }
  return copy;
}

/** The text with each place replaced; places that touch are one. */
function withoutPlaces(text: string, places: readonly Span[]): string {
  let rest = '';
  let at = 0;
  for (const { start, end } of [...places].sort((a, b) => a.start - b.start || b.end - a.end)) {
    if (start >= at && (start > at || at === 0)) rest += text.slice(at, start) + REDACTED;
    at = Math.max(at, end);
  }
  return rest + text.slice(at);
}
