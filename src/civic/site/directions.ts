const DIRECTIONS = /[\u202a-\u202e\u2066-\u2069]/g;

/** Shows characters that reverse text direction as `\u{…}`. Marks within a word, as in Arabic, stay. */
export function visibleDirections(text: string): string {
  return text.replaceAll(DIRECTIONS, (character) => `\\u{${character.charCodeAt(0).toString(16).toUpperCase()}}`);
}

export type Direction = 'ltr' | 'rtl';

const RIGHT_TO_LEFT = /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}]/u;

/** The direction of most letters of a text; undefined: it has none. The first letter says little: an Arabic text may begin with `eID`. */
export function directionOf(text: string): Direction | undefined {
  // Most texts have none of these letters, and counting takes longer than looking for one.
  if (!RIGHT_TO_LEFT.test(text)) return /\p{L}/u.test(text) ? 'ltr' : undefined;
  let balance = 0;
  for (const [letter] of text.matchAll(/\p{L}/gu)) balance += RIGHT_TO_LEFT.test(letter) ? 1 : -1;
  return balance > 0 ? 'rtl' : 'ltr';
}

/** The attribute for a text that runs against its surroundings; empty if it does not. */
export function directionAgainst(base: Direction, text: string): string {
  const own = directionOf(text) ?? base;
  return own === base ? '' : ` dir="${own}"`;
}
