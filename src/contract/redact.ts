import { LIMITS } from './limits.ts';

/** The replacement for a secret. */
export const MASK = '***';

/** A shorter known secret is not searched for in texts: it would mask half of every sentence. */
export const KNOWN_SECRET_CHARS_MIN = 4;

const SECRET_WORDS = new Set([
  'password',
  'passwd',
  'pass',
  'secret',
  'token',
  'apikey',
  'authorization',
  'cookie',
  'credential',
  'credentials',
]);
const MAYBE_SECRET = /pass|secret|token|key|authorization|cookie|credential/iu;
const SECRET_PAIRS = new Set(['api key', 'private key', 'access key']);

/** Masks secrets in everything that goes to a log, an error, an audit record or a prompt. */
export interface Redactor {
  text(text: string): string;
  /** The same text with known secrets masked, and nothing else. */
  known(text: string): string;
  /** The same value with secrets masked; members with secret names are masked wholly. */
  value(value: unknown): unknown;
}

/** A redactor with the built-in rules and these secrets. */
export function createRedactor(secrets: Iterable<string> = []): Redactor {
  const pattern = knownSecretPattern(secrets);
  const maskKnown = (text: string) => (pattern ? text.replace(pattern, MASK) : text);
  const text = (input: string): string => {
    const json = maskJsonText(input, value);
    if (json !== undefined) return json;
    const known = maskKnown(input);
    const masked = maskPatterns(known);
    return masked === known ? masked : maskKnown(masked);
  };
  const value = (input: unknown): unknown => {
    if (typeof input === 'string') return bounded(input, text);
    // The only secret that a number can contain is a known one.
    if (typeof input === 'number' || typeof input === 'bigint')
      return pattern && maskKnown(String(input)) !== String(input) ? MASK : input;
    if (Array.isArray(input)) return input.map(value);
    if (input instanceof Error) return maskError(input, text, value);
    if (typeof input !== 'object' || input === null) return input;
    return Object.fromEntries(
      Object.entries(input).map(([name, member]) => [text(name), isSecretName(name) ? MASK : value(member)]),
    );
  };
  return { text, value, known: maskKnown };
}

/** The masked beginning of a very long text: masking costs some microseconds for each word that may be a secret. */
function bounded(text: string, mask: (text: string) => string): string {
  const max = LIMITS.recordedTextCharsMax;
  if (text.length <= max) return mask(text);
  // It masks more than it keeps, so that a secret at the cut does not show in part.
  const beginning = mask(text.slice(0, max + LIMITS.maskedTokenCharsMax)).slice(0, max);
  return `${beginning.toWellFormed()}… (${text.length - max} more characters)`;
}

/** Cache of checked names; a text may have a hundred thousand members of the same name. */
const knownNames = new Map<string, boolean>();
const KNOWN_NAMES_MAX = 4_096;
const KNOWN_NAME_CHARS_MAX = 64;

/** Whether a member, a header or a parameter of this name contains a secret: `apiKey`, `X-Auth-Token`, not `max_tokens`. */
export function isSecretName(name: string): boolean {
  // A quick check first: this runs for every member of every call, and most names have no such word.
  if (!MAYBE_SECRET.test(name)) return false;
  const known = knownNames.get(name);
  if (known !== undefined) return known;
  const words = wordsOf(name);
  const isSecret = words.some(
    (word, index) => SECRET_WORDS.has(word) || SECRET_PAIRS.has(`${word} ${words[index + 1]}`),
  );
  if (knownNames.size >= KNOWN_NAMES_MAX) knownNames.clear();
  if (name.length <= KNOWN_NAME_CHARS_MAX) knownNames.set(name, isSecret);
  return isSecret;
}

/** The words of a camelCase, snake_case or kebab-case name, in lower case. */
export function wordsOf(name: string): string[] {
  const words = name.match(/\p{Lu}+(?!\p{Ll})|\p{Lu}?\p{Ll}+|\p{Lo}+/gu) ?? [];
  return words.map((word) => word.toLowerCase());
}

/** A text that is a JSON object or array is masked by its members; undefined if it is not one, or has no secret. */
function maskJsonText(text: string, mask: Redactor['value']): string | undefined {
  if (!/^\s*[{[]/.test(text)) return undefined;
  try {
    const parsed: unknown = JSON.parse(text);
    const masked = JSON.stringify(mask(parsed));
    return masked === JSON.stringify(parsed) ? undefined : masked;
  } catch {
    return undefined;
  }
}

// The bounds in these expressions keep them linear, because the text is untrusted. Each is tried only if the text has a
// character that it needs.
function maskPatterns(text: string): string {
  let masked = text;
  if (/bearer/i.test(masked)) masked = masked.replace(BEARER, `$1 ${MASK}`);
  if (masked.includes('://')) masked = masked.replace(/([a-z][a-z0-9+.-]{0,30}:\/\/)[^\s/?#"'<>]*@/gi, `$1${MASK}@`);
  if (masked.includes('=')) {
    masked = masked.replace(/(?<![\w.-])([\w.-]+)(=)("[^"]*"|'[^']*'|[^\s&#<>"']+)/g, maskPair);
  }
  if (!masked.includes(':')) return masked;
  if (masked.includes('"')) masked = masked.replace(JSON_MEMBER, maskJsonMember);
  if (masked.includes('\\"')) masked = masked.replace(ESCAPED_MEMBER, maskEscapedMember);
  return masked.replace(/^([ \t]*(?:[<>][ \t]*)?)([A-Za-z][\w-]*)(:[ \t]*)(\S.*)$/gm, maskHeaderLine);
}

/** "no bearer token" is a sentence: these words are not credentials. */
const BEARER =
  /\b(Bearer)\s+(?!(?:tokens?|credentials?|challenges?|authori[sz]ation|authentication|scheme)[.,;:)"'`]*(?:\s|$))[^\s"',;]+/gi;

/** A quote after a backslash does not begin a name: otherwise each of many such quotes would start a search. */
const JSON_MEMBER = /(?<!\\)("(?:[^"\\]|\\.){0,200}")(\s{0,20}:\s{0,20})("(?:[^"\\]|\\.)*(?:"|$)|[^\s,"{}[\]]+)/g;

/** A JSON member inside a JSON string, as servers write requests into their logs. */
const ESCAPED_MEMBER = /(\\{1,16}")([^"\\]{1,200})\1(\s{0,20}:\s{0,20})\1(?:[^"\\]|\\{1,16}[^"\\]){0,4096}\1/g;

function maskEscapedMember(whole: string, quote: string, name: string, colon: string): string {
  return isSecretName(name) ? `${quote}${name}${quote}${colon}${quote}${MASK}${quote}` : whole;
}

function maskPair(whole: string, name: string, equals: string): string {
  return isSecretName(name) ? `${name}${equals}${MASK}` : whole;
}

function maskJsonMember(whole: string, name: string, colon: string): string {
  return isSecretName(name) ? `${name}${colon}"${MASK}"` : whole;
}

/** `X-Api-Key: …` is a header; `invalid token: …` is a sentence and stays readable. */
function maskHeaderLine(whole: string, indent: string, name: string, colon: string): string {
  const isHeader = name.includes('-') || /^(authorization|cookie)$/i.test(name);
  return isHeader && isSecretName(name) ? `${indent}${name}${colon}${MASK}` : whole;
}

function maskError(error: Error, text: Redactor['text'], value: Redactor['value']): object {
  return {
    name: error.name,
    message: text(error.message),
    ...(error.stack === undefined ? {} : { stack: text(error.stack) }),
    ...(error.cause === undefined ? {} : { cause: value(error.cause) }),
  };
}

/** Each secret as it is, as in a JSON string and as in a URL; the longest first. */
function knownSecretPattern(secrets: Iterable<string>): RegExp | undefined {
  const forms = new Set<string>();
  for (const secret of secrets) {
    if (secret.length < KNOWN_SECRET_CHARS_MIN) continue;
    forms.add(secret);
    forms.add(JSON.stringify(secret).slice(1, -1));
    if (secret.isWellFormed()) forms.add(encodeURIComponent(secret));
  }
  if (forms.size === 0) return undefined;
  const longestFirst = [...forms].sort((a, b) => b.length - a.length || (a < b ? -1 : 1));
  return new RegExp(longestFirst.map((form) => form.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&')).join('|'), 'g');
}
