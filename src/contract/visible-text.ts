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

/** The same for text of several lines, whichever way they end. */
export function visibleLines(text: string): string {
  return visibleText(text.replaceAll('\r\n', '\n'));
}

/**
 * Text for a person. What stands in the template is ours; every value in it was written by others, and stays on its line.
 */
export function visible(ours: TemplateStringsArray, ...theirs: readonly unknown[]): string {
  return ours.map((part, index) => (index === 0 ? part : `${visibleLine(String(theirs[index - 1]))}${part}`)).join('');
}

/** A value with every text in it as `visibleLine` shows it, and as `visibleLines` does where the name of its member is given. */
export function visibleValue<T>(value: T, manyLines: readonly string[] = []): T {
  return shownValue(value, undefined, manyLines) as T;
}

function shownValue(value: unknown, name: string | undefined, manyLines: readonly string[]): unknown {
  if (typeof value === 'string')
    return name !== undefined && manyLines.includes(name) ? visibleLines(value) : visibleLine(value);
  if (Array.isArray(value)) return value.map((item) => shownValue(item, name, manyLines));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [visibleLine(key), shownValue(member, key, manyLines)]),
  );
}

/** JSON with what is hidden in it as escapes: it is the same value. */
export function visibleJson(json: string): string {
  if (!MAYBE_HIDDEN.test(json)) return json;
  return json.replaceAll(HIDDEN, (characters) =>
    PLAIN_SPACE.has(characters) || EMOJI.test(characters) ? characters : jsonEscapes(characters),
  );
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

function jsonEscapes(characters: string): string {
  const units = Array.from({ length: characters.length }, (_, index) => characters.charCodeAt(index));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('');
}
