import { kindsBy } from '../scrub/field-kinds.ts';
import { fieldKindsOf } from '../submissions/field-kinds.ts';
import type { Item } from '../submissions/item-types.ts';

/** Members of closed form, which say what a submission was about: they stay when its text goes. */
export const KEPT: ReadonlySet<string> = new Set(
  'type target_type target_id proposed_id base_version target_version verdict kind scope axis score'.split(' '),
);
/** A name of a member that the program gives; any other one was written by the sender. */
const PLAIN_NAME = /^[a-z0-9_]+$/i;

/**
 * What the sender of a submission wrote in it: every text that is not of closed form, and of a diff the lines that it adds. An
 * address that others cite as well is not the sender's.
 */
export function writtenTexts(item: Item, isCitedByOthers: (url: string) => boolean): string[] {
  const kindOf = kindsBy(fieldKindsOf(item));
  const texts: string[] = [];
  const visit = (value: unknown, path: readonly string[]): void => {
    if (typeof value === 'string') {
      const kind = kindOf(path);
      const isOpen =
        kind !== 'closed' && path.at(-1) !== 'field_path' && !(path.length === 1 && KEPT.has(path[0] as string));
      if (kind === 'diff') texts.push(...addedLines(value));
      else if (isOpen && !(kind === 'url' && isCitedByOthers(value))) texts.push(value);
    } else if (typeof value === 'object' && value !== null) {
      for (const [name, member] of Object.entries(value)) {
        if (!PLAIN_NAME.test(name)) texts.push(name);
        visit(member, [...path, name]);
      }
    }
  };
  visit(item, []);
  return texts;
}

/** What one text has and another does not, line by line. */
export function linesAdded(before: string, after: string): string[] {
  const known = new Set(before.split('\n'));
  return after.split('\n').filter((line) => !known.has(line));
}

function addedLines(diff: string): string[] {
  return diff
    .split('\n')
    .filter((line) => line.startsWith('+') && !line.startsWith('+++ '))
    .map((line) => line.slice(1));
}
