import { regionAfter } from './region-after.ts';

/** The stem of a lower-case German word whose umlauts are folded: endings of cases, numbers and verbs, then of derived words. */
export function stemGerman(word: string): string {
  const first = Math.max(3, regionAfter(word, 0));
  const second = regionAfter(word, first);
  let stem =
    cut(word, first, ['ern', 'em', 'er', 'en', 'es', 'e']) ?? cutAfter(word, first, 's', 'bdfghklmnrt') ?? word;
  stem = cut(stem, first, ['est', 'en', 'er']) ?? cutAfter(stem, first + 3, 'st', 'bdfghklmnt') ?? stem;
  stem = cut(stem, second, ['isch', 'lich', 'heit', 'keit', 'end', 'ung', 'ig', 'ik']) ?? stem;
  return stem.replace(/ss$/, 's');
}

/** The word without the first of these endings that it has; undefined if it has none, or none within its region. */
function cut(word: string, region: number, endings: readonly string[]): string | undefined {
  const ending = endings.find((candidate) => word.endsWith(candidate));
  return ending !== undefined && word.length - ending.length >= region ? word.slice(0, -ending.length) : undefined;
}

/** The same for one ending that counts only after some letters. */
function cutAfter(word: string, region: number, ending: string, letters: string): string | undefined {
  const before = word[word.length - ending.length - 1];
  return before !== undefined && letters.includes(before) ? cut(word, region, [ending]) : undefined;
}
