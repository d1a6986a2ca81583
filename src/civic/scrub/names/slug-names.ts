import { findPersonNames } from './find-person-names.ts';
import { NAMESAKE_AFTER, NAMESAKE_BEFORE } from './other-words.ts';
import { foldName } from './places.ts';

const INITIAL = /^(\p{L})[ .]+(\p{L}{4,30})$/u;

/** Whether words of a URL are or contain the full name of a person: `margaret holloway`, `m.holloway`, `MargaretHolloway`. */
export function isFullName(words: string): boolean {
  const initial = INITIAL.exec(words);
  if (initial) return findPersonNames(capitalised(`${initial[1]}. ${initial[2]}`)).length > 0;
  const apart = words.replace(/(?<=\p{Ll})(?=\p{Lu})/gu, ' ').toLowerCase();
  return findPersonNames(apart).some(({ start, end }) => !isNamesake(apart, start, end));
}

/** `place charles rogier`: small letters do not show where the name of a thing ends, so a word for a thing counts one word further. */
function isNamesake(words: string, start: number, end: number): boolean {
  const folded = (text: string) => (text.match(/\S+/g) ?? []).map(foldName);
  const [next = ''] = folded(words.slice(end));
  return (
    folded(words.slice(0, start))
      .slice(-2)
      .some((word) => NAMESAKE_BEFORE.has(word)) || NAMESAKE_AFTER.has(next)
  );
}

/** The same words, each with a capital: street names and towns are recognised by it. */
export function capitalised(words: string): string {
  return words.replace(/(?<!\p{L})\p{Ll}/gu, (letter) => letter.toUpperCase());
}
