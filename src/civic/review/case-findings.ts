import type { Finding } from '../scrub/scrub-submission.ts';
import { pathOf, valueAt } from '../submissions/faults.ts';
import type { Item } from '../submissions/item-types.ts';
import type { Case } from './case-shape.ts';
import type { QueueItem } from './queue-item.ts';

/** Characters of context around a finding. */
const EXCERPT_CHARS = 40;

/** Findings that held an item, with their context: only maintainers see them. */
export function findingsOf(item: QueueItem | undefined): Case['findings'] {
  const { item: held, holds } = (item?.content ?? {}) as { item?: Item; holds?: readonly Finding[] };
  return (holds ?? []).map(({ rule, pointer, start, end }) => {
    const text = valueAt(held, pathOf(pointer));
    const shown = typeof text === 'string' ? text.slice(Math.max(0, start - EXCERPT_CHARS), end + EXCERPT_CHARS) : '';
    return { rule, pointer, text: shown };
  });
}
