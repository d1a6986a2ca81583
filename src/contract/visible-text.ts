import { LIMITS } from './limits.ts';

/**
 * Characters that a person does not see or that change how other text is shown: control and format characters
 * (bidirectional overrides and zero-width characters among them), tag characters, variation selectors, line and
 * paragraph separators, blank letters and lone surrogates.
 */
const HIDDEN = String.raw`[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\u{115F}\u{1160}\u{17B4}\u{17B5}\u{2800}\u{3164}\u{FFA0}\u{E0000}-\u{E0FFF}\u{34F}\u{FE00}-\u{FE0F}]`;
const ALL_HIDDEN = new RegExp(HIDDEN, 'gu');
/** The longest sequence that may be one emoji, or else a hidden character. */
const EMOJI_OR_HIDDEN = new RegExp(
  String.raw`\p{Emoji}(?:\u{FE0F}\u{20E3}?|\p{Emoji_Modifier})?[\u{E0020}-\u{E007F}]*(?:\u{200D}\p{Emoji}(?:\u{FE0F}|\p{Emoji_Modifier})?)*|${HIDDEN}`,
  'gu',
);
const PLAIN_SPACE = new Set(['\t', '\n']);
const MAYBE_HIDDEN = /[^\x20-\x7e]/;
const SOME_HIDDEN = new RegExp(HIDDEN, 'u');

/**
 * Shows hidden characters of a text as `\u{…}`; tabs and line feeds stay. Plain text is returned unchanged. A backslash in the original
 * that would read as such an escape is escaped itself, so that no two texts look alike. So escape a text only once, and use
 * `stillVisible` for text that may be escaped already.
 */
export function visibleText(text: string): string {
  return stillVisible(withOwnEscapes(text));
}

/** The same for text that must stay on one line: tabs and line feeds are escaped as well. */
export function visibleLine(text: string): string {
  return stillVisibleLine(withOwnEscapes(text));
}

/** For text that is ours or already escaped in parts: escapes any hidden character that is left. */
export function stillVisible(text: string): string {
  return revealed(text, (character) => (PLAIN_SPACE.has(character) ? character : shown(character)));
}

/** The same on one line. */
export function stillVisibleLine(text: string): string {
  return revealed(text, shown);
}

const ESCAPE = /\\(?=u\{([0-9A-Fa-f]{1,6})\})/g;
const BACKSLASH = 0x5c;

/** Escapes backslashes of the original that would read as an escape of ours. */
function withOwnEscapes(text: string): string {
  if (!text.includes('\\u{')) return text;
  return text.replaceAll(ESCAPE, (backslash, code: string) =>
    isEscaped(Number.parseInt(code, 16)) ? shown(backslash) : backslash,
  );
}

/** The same for text of several lines, with any line endings. */
export function visibleLines(text: string): string {
  return visibleText(text.replaceAll('\r\n', '\n'));
}

/**
 * Text for a person. The template itself is ours; its values are untrusted, so they are escaped and stay on their line.
 */
export function visible(ours: TemplateStringsArray, ...theirs: readonly unknown[]): string {
  return ours.map((part, index) => (index === 0 ? part : `${visibleLine(String(theirs[index - 1]))}${part}`)).join('');
}

/** Members of a value, by name, whose texts are not escaped with `visibleLine`. */
export interface ShownMembers {
  /** Texts of several lines. */
  readonly manyLines?: readonly string[] | undefined;
  /** Texts that are already escaped. */
  readonly visibleBefore?: readonly string[] | undefined;
}

/** A value with every text escaped by `visibleLine`, except in the named members. */
export function visibleValue<T>(value: T, { manyLines = [], visibleBefore = [] }: ShownMembers = {}): T {
  const shownValue = (part: unknown, hasLines: boolean, isVisible: boolean): unknown => {
    if (typeof part === 'string') return shownAs(part, hasLines, isVisible);
    if (Array.isArray(part)) return part.map((item) => shownValue(item, hasLines, isVisible));
    if (typeof part !== 'object' || part === null) return part;
    return Object.fromEntries(
      Object.entries(part).map(([key, member]) => [
        shownAs(key, false, isVisible),
        shownValue(member, hasLines || manyLines.includes(key), isVisible || visibleBefore.includes(key)),
      ]),
    );
  };
  return shownValue(value, false, false) as T;
}

function shownAs(text: string, hasLines: boolean, isVisible: boolean): string {
  if (!hasLines) return isVisible ? stillVisibleLine(text) : visibleLine(text);
  return isVisible ? stillVisible(text.replaceAll('\r\n', '\n')) : visibleLines(text);
}

/** JSON with its hidden characters as JSON escapes: the value is the same. */
export function visibleJson(json: string): string {
  return revealed(json, (characters) => (PLAIN_SPACE.has(characters) ? characters : jsonEscapes(characters)));
}

/** JSON for a person, of a value whose texts are already escaped: the escapes have one backslash, as in a text. */
export function jsonOfVisible(value: unknown, indent?: number): string {
  return JSON.stringify(value, null, indent).replaceAll(/\\\\(u\{([0-9A-F]{1,6})\})/g, (doubled, single, code) =>
    isEscaped(Number.parseInt(code, 16)) ? `\\${single}` : doubled,
  );
}

/** Whether a character is shown as an escape. */
function isEscaped(codePoint: number): boolean {
  return codePoint === BACKSLASH || (codePoint <= 0x10ffff && SOME_HIDDEN.test(String.fromCodePoint(codePoint)));
}

export function hasHiddenCharacters(text: string): boolean {
  return visibleText(text) !== text;
}

/** Keeps joiners and selectors inside an emoji: they are part of what a person sees. */
function revealed(text: string, show: (character: string) => string): string {
  if (!MAYBE_HIDDEN.test(text)) return text;
  let sequences = 0;
  return text.replaceAll(EMOJI_OR_HIDDEN, (found) => {
    if (!SOME_HIDDEN.test(found)) return found;
    if (isOneCharacter(found)) return show(found);
    sequences += 1;
    return sequences <= LIMITS.emojiSequencesMax && isEmoji(found) ? found : found.replaceAll(ALL_HIDDEN, show);
  });
}

function shown(character: string): string {
  return `\\u{${(character.codePointAt(0) as number).toString(16).toUpperCase()}}`;
}

function isOneCharacter(text: string): boolean {
  return text.length === 1 || (text.length === 2 && (text.codePointAt(0) as number) > 0xffff);
}

/**
 * The list of emoji is long, and each lookup takes some microseconds. So lookups are cached, and their number per text is
 * limited: an untrusted text could be full of sequences that are not emoji.
 */
const knownSequences = new Map<string, boolean>();

const WITH_JOINER = /^\p{RGI_Emoji_ZWJ_Sequence}$/v;
const WITH_TAGS = /^\p{RGI_Emoji_Tag_Sequence}$/v;
const OTHER = /^(?:\p{Basic_Emoji}|\p{Emoji_Keycap_Sequence}|\p{RGI_Emoji_Modifier_Sequence})$/v;

function isEmoji(sequence: string): boolean {
  if (sequence.length > LIMITS.emojiUnitsMax) return false;
  const known = knownSequences.get(sequence);
  if (known !== undefined) return known;
  const list = sequence.includes('\u200d') ? WITH_JOINER : /[\u{E0020}-\u{E007F}]/u.test(sequence) ? WITH_TAGS : OTHER;
  const isListed = list.test(sequence);
  if (knownSequences.size >= LIMITS.emojiKnownMax) knownSequences.clear();
  knownSequences.set(sequence, isListed);
  return isListed;
}

function jsonEscapes(characters: string): string {
  const units = Array.from({ length: characters.length }, (_, index) => characters.charCodeAt(index));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('');
}
