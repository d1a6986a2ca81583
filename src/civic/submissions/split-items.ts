import { findPhoneAcross, findSplitIdentifiers, type SplitText } from '../scrub/find-split-identifiers.ts';
import type { Finding } from '../scrub/scrub-submission.ts';

/** The free texts of an item, the longest-read first. */
const TEXTS = ['report', 'body', 'rationale', 'notes'] as const;

/** Numbers that begin in one item of an envelope and end in the next, by the index of the first. */
export function findAcrossItems(items: readonly unknown[]): ReadonlyMap<number, Finding[]> {
  const texts = items.map(textOf);
  const hits = [
    ...findSplitIdentifiers(texts),
    ...texts.slice(1).flatMap((next, index) => findPhoneAcross(texts[index] as SplitText, next)),
  ];
  const findings = hits.map(({ pointer, hit }) => ({ pointer, ...hit }));
  return Map.groupBy(findings, ({ pointer }) => Number(pointer.split('/')[2]));
}

function textOf(item: unknown, index: number): SplitText {
  const members = (item ?? {}) as Record<string, unknown>;
  const key = TEXTS.find((name) => typeof members[name] === 'string');
  const text = key === undefined ? undefined : (members[key] as string);
  return { key: `${index}`, pointer: `/items/${index}/${key}`, text };
}
