import { pointerTo } from './json-pointer.ts';
import { LIMITS } from './limits.ts';
import { isSecretName, MASK, wordsOf } from './redact.ts';
import { visibleLine, visibleText } from './visible-text.ts';

/** Arguments as an approver sees them. */
export interface ShownArguments {
  /** The same arguments with secrets masked and hidden characters made visible. */
  readonly value: unknown;
  /** JSON pointers to the values in which something is masked, or cut because it is too long to show at once. */
  readonly masked: readonly string[];
  /** Texts of which only the beginning is shown. A text could imitate the note of a cut, so this list is separate. */
  readonly cut: readonly CutText[];
}

/** A text that is too long to show at once. */
export interface CutText {
  /** JSON pointer to it. */
  readonly path: string;
  /** How many characters of the shown value belong to the text; the note of the cut follows them. */
  readonly shown: number;
  /** How many characters the whole text has. */
  readonly characters: number;
}

/**
 * Masks arguments for an approver: known secrets, and under a secret's name only values with the shape of a secret. Anything that could
 * be a word, a command, a path, a sentence or a structure stays visible, because an approver must see what the call does, and the caller
 * or the server chooses the names. So a name masks only its own text value, never a list. If only a part of the arguments
 * may be stored, `keep` returns it, and the rest is masked too.
 */
export function shownArguments(
  args: unknown,
  maskKnown: (text: string) => string,
  keep?: (args: unknown) => unknown,
): ShownArguments {
  if (!keep) return shownWhole(args, maskKnown);
  const kept = keep(args);
  const { value, masked, cut } = shownWhole(kept, maskKnown);
  return { value, cut, masked: [...new Set([...notKept(args, kept, []), ...masked])] };
}

/** Pointers to replaced values, and to objects and lists with omitted parts. */
function notKept(given: unknown, kept: unknown, path: readonly (string | number)[]): string[] {
  if (given === kept) return [];
  if (typeof given !== 'object' || typeof kept !== 'object' || given === null || kept === null)
    return [pointerTo(...path)];
  const [names, keptNames] = [Object.keys(given), new Set(Object.keys(kept))];
  const part = (from: object, name: string): unknown => from[name as keyof object];
  const isWhole = names.every((name) => keptNames.has(name));
  return [
    ...(isWhole ? [] : [pointerTo(...path)]),
    ...names
      .filter((name) => keptNames.has(name))
      .flatMap((name) => notKept(part(given, name), part(kept, name), [...path, name])),
  ];
}

function shownWhole(args: unknown, maskKnown: (text: string) => string): ShownArguments {
  const changed: string[] = [];
  const cut: CutText[] = [];
  const note = (path: readonly (string | number)[]) => changed.push(pointerTo(...path));

  let charsLeft: number = LIMITS.shownCharsMax;
  const text = (given: string, path: readonly (string | number)[], name: string): string => {
    const room = Math.max(charsLeft, LIMITS.shownRestCharsMax);
    charsLeft -= given.length;
    // It masks more than it shows, so that a secret at the cut does not show in part.
    const masked = hides(name, given) ? MASK : maskTokens(maskKnown(given.slice(0, room + LIMITS.maskedTokenCharsMax)));
    if (given.length <= room || masked.length <= room) {
      if (masked !== given) note(path);
      return visibleText(masked);
    }
    note(path);
    const shown = visibleText(masked.slice(0, room).toWellFormed());
    cut.push({ path: pointerTo(...path), shown: shown.length, characters: given.length });
    return `${shown}… (${given.length - room} more characters)`;
  };
  const members = (given: object, path: readonly (string | number)[]): object => {
    const shown = new Map<string, unknown>();
    const lastCounts = new Map<string, number>();
    for (const [name, member] of Object.entries(given)) {
      const own = unusedName(visibleLine(maskKnown(name)), shown, lastCounts);
      shown.set(own, value(member, [...path, own], name));
    }
    return Object.fromEntries(shown);
  };
  const value = (given: unknown, path: readonly (string | number)[], name: string): unknown => {
    if (typeof given === 'string') return text(given, path, name);
    if (typeof given === 'number' && maskKnown(String(given)) !== String(given)) {
      note(path);
      return MASK;
    }
    if (Array.isArray(given)) return given.map((item, index) => value(item, [...path, index], ''));
    return typeof given === 'object' && given !== null ? members(given, path) : given;
  };
  return { value: value(args, [], ''), masked: changed, cut };
}

/** Makes names distinct that look equal when shown, by adding a count; each count is tried once, however many names are equal. */
function unusedName(name: string, used: ReadonlyMap<string, unknown>, lastCounts: Map<string, number>): string {
  if (!used.has(name)) return name;
  let count = lastCounts.get(name) ?? 1;
  do count += 1;
  while (used.has(`${name} (${count})`));
  lastCounts.set(name, count);
  return `${name} (${count})`;
}

/** Letters, digits and the signs of base64, tokens and keys; no spaces, quotes, shell characters, colons or percent signs. */
const TOKEN = '[A-Za-z0-9_][A-Za-z0-9._~+/-]*={0,2}';
const WHOLE_TOKEN = new RegExp(`^${TOKEN}$`);

/** Whether a value can only be a token: not a path, not an address, and too short for a document. */
function isToken(text: string): boolean {
  if (text.length > LIMITS.maskedTokenCharsMax || !WHOLE_TOKEN.test(text)) return false;
  if (text.includes('..') || text.includes('//')) return false;
  // Base64 has slashes among letters of both kinds and digits; paths seldom have all of them.
  return !text.includes('/') || (/[A-Z]/.test(text) && /[a-z]/.test(text) && /[0-9]/.test(text));
}

// The bounds in these expressions keep them linear, because the text is untrusted.
const BEARER = new RegExp(`\\b(Bearer\\s{1,8})(${TOKEN})`, 'gi');
const URL_PASSWORD = /([a-z][a-z0-9+.-]{0,30}:\/\/[^\s/?#"'<>@:]{0,200}:)([A-Za-z0-9._~%+-]{1,500})(?=@)/gi;
const PAIR = new RegExp(`(?<![\\w.-])([\\w.-]{1,200})(=)(["']?)(${TOKEN})\\3`, 'g');
const JSON_MEMBER = new RegExp(`(?<!\\\\)"((?:[^"\\\\]|\\\\.){0,200})"(\\s{0,20}:\\s{0,20})(")(${TOKEN})"`, 'g');
const ESCAPED_MEMBER = new RegExp(`(\\\\{1,16}")([^"\\\\]{1,200})\\1(\\s{0,20}:\\s{0,20})\\1(${TOKEN})\\1`, 'g');
const HEADER_LINE = new RegExp(`^([ \\t]*(?:[<>][ \\t]*)?)([A-Za-z][\\w-]*)(:[ \\t]*)(${TOKEN})(?=[ \\t]*$)`, 'gm');

/** A shorter word after `Bearer` is part of a sentence. */
const BEARER_CHARS_MIN = 8;

/** Masks tokens that follow the name of a secret in a text; everything around them stays. */
function maskTokens(text: string): string {
  let shown = text;
  if (/bearer/i.test(shown))
    shown = shown.replace(BEARER, (whole, word, token) =>
      token.length >= BEARER_CHARS_MIN && isToken(token) ? `${word}${MASK}` : whole,
    );
  if (shown.includes('://')) shown = shown.replace(URL_PASSWORD, `$1${MASK}`);
  if (shown.includes('='))
    shown = shown.replace(PAIR, (whole, name, equals, quote, token) =>
      hides(name, token) ? `${name}${equals}${quote}${MASK}${quote}` : whole,
    );
  if (!shown.includes(':')) return shown;
  if (shown.includes('"'))
    shown = shown.replace(JSON_MEMBER, (whole, name, colon, quote, token) =>
      hides(name, token) ? `"${name}"${colon}${quote}${MASK}${quote}` : whole,
    );
  if (shown.includes('\\"'))
    shown = shown.replace(ESCAPED_MEMBER, (whole, quote, name, colon, token) =>
      hides(name, token) ? `${quote}${name}${quote}${colon}${quote}${MASK}${quote}` : whole,
    );
  return shown.replace(HEADER_LINE, (whole, indent, name, colon, token) =>
    isHeaderName(name) && hides(name, token) ? `${indent}${name}${colon}${MASK}` : whole,
  );
}

/** Whether a text under this name is masked. Words are not: they could say what the call does. */
function hides(name: string, text: string): boolean {
  return isSecretName(name) && text.length >= SECRET_CHARS_MIN && isToken(text) && !isWords(text);
}

/** Shorter texts are names of devices, versions or options rather than secrets. */
const SECRET_CHARS_MIN = 6;

/** A random text of letters has shorter runs of one case. */
const WORD_CHARS_MIN = 3;

/** `shutdown`, `DROP_TABLE`, `dropTable`, `delete-all.sh`: words, with no digit among them. */
function isWords(text: string): boolean {
  if (/[0-9=]/.test(text)) return false;
  const words = wordsOf(text);
  const letters = words.reduce((sum, { length }) => sum + length, 0);
  return letters >= words.length * WORD_CHARS_MIN;
}

/** `X-Api-Key: …` is a header; `invalid token: …` is a sentence. */
function isHeaderName(name: string): boolean {
  return name.includes('-') || /^(authorization|cookie)$/i.test(name);
}
