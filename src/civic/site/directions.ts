const DIRECTIONS = /[\u202a-\u202e\u2066-\u2069]/g;

/** Shows characters that reverse text direction as `\u{…}`. Marks within a word, as in Arabic, stay. */
export function visibleDirections(text: string): string {
  return text.replaceAll(DIRECTIONS, (character) => `\\u{${character.charCodeAt(0).toString(16).toUpperCase()}}`);
}

export type Direction = 'ltr' | 'rtl';

const RIGHT_TO_LEFT = /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}]/u;

/** The direction of most letters of a text; undefined: it has none. The first letter says little: an Arabic text may begin with `eID`. */
export function directionOf(text: string): Direction | undefined {
  let balance = 0;
  let letters = 0;
  for (const [letter] of text.matchAll(/\p{L}/gu)) {
    letters += 1;
    balance += RIGHT_TO_LEFT.test(letter) ? 1 : -1;
  }
  return letters === 0 ? undefined : balance > 0 ? 'rtl' : 'ltr';
}

/** The attribute for a text that runs against its surroundings; empty if it does not. */
export function directionAgainst(base: Direction, text: string): string {
  const own = directionOf(text) ?? base;
  return own === base ? '' : ` dir="${own}"`;
}
