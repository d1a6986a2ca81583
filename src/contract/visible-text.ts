/**
 * Characters that a person does not see or that change how other text is shown: control and format characters
 * (bidirectional overrides and zero-width characters among them), tag characters, variation selectors, line and
 * paragraph separators, blank letters and lone surrogates.
 */
const HIDDEN =
  /\p{RGI_Emoji}|[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\u{115F}\u{1160}\u{17B4}\u{17B5}\u{2800}\u{3164}\u{FFA0}\u{E0000}-\u{E0FFF}]|\u{34F}|[\u{FE00}-\u{FE0F}]/gv;
const PLAIN_SPACE = new Set(['\t', '\n']);
const MAYBE_HIDDEN = /[^\x20-\x7e]/;

/** Shows what is hidden in a text as `\u{…}`; tabs and line feeds stay. Plain text comes back as it is. */
export function visibleText(text: string): string {
  if (!MAYBE_HIDDEN.test(text)) return text;
  return text.replaceAll(HIDDEN, (character) => (PLAIN_SPACE.has(character) ? character : shown(character)));
}

/** The same for text that must stay on one line: tabs and line feeds are shown as well. */
export function visibleLine(text: string): string {
  return MAYBE_HIDDEN.test(text) ? text.replaceAll(HIDDEN, shown) : text;
}

export function hasHiddenCharacters(text: string): boolean {
  return visibleText(text) !== text;
}

/** Joiners and selectors within an emoji are part of what a person sees. */
const EMOJI = /^\p{RGI_Emoji}$/v;

function shown(character: string): string {
  if (EMOJI.test(character)) return character;
  return `\\u{${(character.codePointAt(0) as number).toString(16).toUpperCase()}}`;
}
