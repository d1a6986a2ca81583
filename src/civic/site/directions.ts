const DIRECTIONS = /[\u202a-\u202e\u2066-\u2069]/g;

/** Shows characters that reverse text direction as `\u{…}`. Marks within a word, as in Arabic, stay. */
export function visibleDirections(text: string): string {
  return text.replaceAll(DIRECTIONS, (character) => `\\u{${character.charCodeAt(0).toString(16).toUpperCase()}}`);
}
