import type { Finding } from '../scrub/scrub-submission.ts';
import { pathOf, valueAt } from '../submissions/faults.ts';
import type { Item } from '../submissions/item-types.ts';
import type { Case } from './case-shape.ts';
import type { QueueItem } from './queue-item.ts';

/** Characters around what a rule found. */
const EXCERPT_CHARS = 40;

/** What the scrub held, with the words around it: only the maintainer sees them. */
export function findingsOf(item: QueueItem | undefined): Case['findings'] {
  const { item: held, holds } = (item?.content ?? {}) as { item?: Item; holds?: readonly Finding[] };
  return (holds ?? []).map(({ rule, pointer, start, end }) => {
    const text = valueAt(held, pathOf(pointer));
    const shown = typeof text === 'string' ? text.slice(Math.max(0, start - EXCERPT_CHARS), end + EXCERPT_CHARS) : '';
    return { rule, pointer, text: shown };
  });
}
