import { LIMITS } from './limits.ts';

/**
 * Characters that a person does not see or that change how other text is shown: control and format characters
 * (bidirectional overrides and zero-width characters among them), tag characters, variation selectors, line and
 * paragraph separators, blank letters and lone surrogates.
 */
const HIDDEN = String.raw`[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\u{115F}\u{1160}\u{17B4}\u{17B5}\u{2800}\u{3164}\u{FFA0}\u{E0000}-\u{E0FFF}\u{34F}\u{FE00}-\u{FE0F}]`;
const ALL_HIDDEN = new RegExp(HIDDEN, 'gu');
/** What may be one emoji, as long as it goes on; or else a hidden character. */
const EMOJI_OR_HIDDEN = new RegExp(
  String.raw`\p{Emoji}(?:\u{FE0F}\u{20E3}?|\p{Emoji_Modifier})?[\u{E0020}-\u{E007F}]*(?:\u{200D}\p{Emoji}(?:\u{FE0F}|\p{Emoji_Modifier})?)*|${HIDDEN}`,
  'gu',
);
const PLAIN_SPACE = new Set(['\t', '\n']);
const MAYBE_HIDDEN = /[^\x20-\x7e]/;
const SOME_HIDDEN = new RegExp(HIDDEN, 'u');

/** Shows what is hidden in a text as `\u{…}`; tabs and line feeds stay. Plain text comes back as it is. */
export function visibleText(text: string): string {
  return revealed(text, (character) => (PLAIN_SPACE.has(character) ? character : shown(character)));
}

/** The same for text that must stay on one line: tabs and line feeds are shown as well. */
export function visibleLine(text: string): string {
  return revealed(text, shown);
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

/** A value with every text in it as `visibleLine` shows it, and as `visibleLines` does within the members that are named. */
export function visibleValue<T>(value: T, manyLines: readonly string[] = []): T {
  return shownValue(value, false, manyLines) as T;
}

function shownValue(value: unknown, hasLines: boolean, manyLines: readonly string[]): unknown {
  if (typeof value === 'string') return hasLines ? visibleLines(value) : visibleLine(value);
  if (Array.isArray(value)) return value.map((item) => shownValue(item, hasLines, manyLines));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [
      visibleLine(key),
      shownValue(member, hasLines || manyLines.includes(key), manyLines),
    ]),
  );
}

/** JSON with what is hidden in it as escapes: it is the same value. */
export function visibleJson(json: string): string {
  return revealed(json, (characters) => (PLAIN_SPACE.has(characters) ? characters : jsonEscapes(characters)));
}

/** JSON for a person, of a value whose texts were made visible before: the escapes stand there with one backslash, as in a text. */
export function jsonOfVisible(value: unknown, indent?: number): string {
  return JSON.stringify(value, null, indent).replaceAll(/\\\\(u\{([0-9A-F]{1,6})\})/g, (doubled, single, code) =>
    isHidden(Number.parseInt(code, 16)) ? `\\${single}` : doubled,
  );
}

function isHidden(codePoint: number): boolean {
  return codePoint <= 0x10ffff && SOME_HIDDEN.test(String.fromCodePoint(codePoint));
}

export function hasHiddenCharacters(text: string): boolean {
  return visibleText(text) !== text;
}

/** Joiners and selectors within an emoji are part of what a person sees. */
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
 * The list of emoji is long, and each look at it takes some microseconds. So what was looked up is remembered, and of a text so many
 * sequences are looked up: others wrote it, and could fill it with sequences that are no emoji.
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
