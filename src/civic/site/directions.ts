const DIRECTIONS = /[\u202a-\u202e\u2066-\u2069]/g;

/** A text in which characters that turn the order of others around are shown as `\u{…}`. Marks within a word, as Arabic has them, stay. */
export function visibleDirections(text: string): string {
  return text.replaceAll(DIRECTIONS, (character) => `\\u{${character.charCodeAt(0).toString(16).toUpperCase()}}`);
}
