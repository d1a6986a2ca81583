import { kindsBy } from '../scrub/field-kinds.ts';
import { fieldKindsOf } from '../submissions/field-kinds.ts';
import type { Item } from '../submissions/item-types.ts';
import type { MemberText } from './text-prints.ts';

/** Replaces erased text. */
export const REDACTED = '[redacted]';
/** Closed members that say what a submission was about: they stay when its text is erased. */
export const KEPT: ReadonlySet<string> = new Set(
  'type target_type target_id proposed_id base_version target_version verdict kind scope axis score'.split(' '),
);
/** Depth to which member names are ours. */
const MEMBER_DEPTH = 2;
/** A member name that is ours; a sender wrote any other. */
const PLAIN_NAME = /^[a-z0-9_]+$/i;

/**
 * The sender's own words in a submission: every text that is not closed, and the added lines of a diff. A URL that others cite too is not
 * included.
 */
export function writtenTexts(item: Item, isCitedByOthers: (url: string) => boolean): MemberText[] {
  const kindOf = kindsBy(fieldKindsOf(item));
  const texts: MemberText[] = [];
  const add = (path: readonly string[], ...written: readonly string[]) => {
    // Deeper names may be the sender's own words.
    const member = path.slice(0, MEMBER_DEPTH).join('.');
    texts.push(...written.map((text) => ({ member, text })));
  };
  const visit = (value: unknown, path: readonly string[]): void => {
    if (typeof value === 'string') {
      const kind = kindOf(path);
      const isOpen =
        kind !== 'closed' && path.at(-1) !== 'field_path' && !(path.length === 1 && KEPT.has(path[0] as string));
      if (kind === 'diff') add(path, ...addedLines(value));
      else if (isOpen && !(kind === 'url' && isCitedByOthers(value))) add(path, value);
    } else if (typeof value === 'object' && value !== null) {
      for (const [name, member] of Object.entries(value)) {
        if (!PLAIN_NAME.test(name)) add(path, name);
        visit(member, [...path, name]);
      }
    }
  };
  visit(item, []);
  return texts;
}

/** The lines that a merge added to a file. */
export function linesMerged(before: string, after: string): MemberText[] {
  const known = new Set(before.split('\n'));
  const lines = after.split('\n').filter((line) => !known.has(line));
  return lines.map((text) => ({ member: 'merged lines', text }));
}

function addedLines(diff: string): string[] {
  return diff
    .split('\n')
    .filter((line) => line.startsWith('+') && !line.startsWith('+++ '))
    .map((line) => line.slice(1));
}
