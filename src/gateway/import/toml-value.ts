import { basicString, notUnderstood, skipBlanks, stringEnd, tomlKey } from './toml-statements.ts';

/**
 * Parses the kinds of values that describe servers: single-line strings, numbers, booleans, lists and inline tables. Rejects dates and
 * multi-line strings.
 */
export function tomlValue(text: string, offset: number): unknown {
  return read(text, offset).value;
}

/** A value as single-line TOML. */
export function tomlText(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value).replaceAll('\u007f', '\\u007f');
  if (Array.isArray(value)) return `[${value.map(tomlText).join(', ')}]`;
  if (typeof value === 'object' && value !== null) {
    const pairs = Object.entries(value).map(([name, member]) => `${tomlText(name)} = ${tomlText(member)}`);
    return `{ ${pairs.join(', ')} }`;
  }
  return String(value);
}

interface Read {
  readonly value: unknown;
  readonly end: number;
}

function read(text: string, offset: number): Read {
  const char = text[offset];
  if (char === '"' || char === "'") return readString(text, offset, char);
  if (char === '[') return readList(text, offset);
  if (char === '{') return readInline(text, offset);
  const word = /^[^\s,#\]}]+/.exec(text.slice(offset, offset + 100))?.[0] ?? '';
  const end = offset + word.length;
  if (word === 'true' || word === 'false') return { value: word === 'true', end };
  if (/^[+-]?(0|[1-9][0-9_]*)(\.[0-9_]+)?([eE][+-]?[0-9]+)?$/.test(word)) {
    return { value: Number(word.replaceAll('_', '')), end };
  }
  throw notUnderstood(text, offset);
}

function readString(text: string, offset: number, quote: string): Read {
  if (text.startsWith(quote.repeat(3), offset)) throw notUnderstood(text, offset);
  const end = stringEnd(text, offset);
  const inner = text.slice(offset + 1, end - 1);
  return { value: quote === '"' ? basicString(inner, offset, text) : inner, end };
}

function readList(text: string, offset: number): Read {
  const value: unknown[] = [];
  let at = skipSpace(text, offset + 1);
  while (text[at] !== ']') {
    const item = read(text, at);
    value.push(item.value);
    at = skipSpace(text, item.end);
    if (text[at] === ',') at = skipSpace(text, at + 1);
    else if (text[at] !== ']') throw notUnderstood(text, at);
  }
  return { value, end: at + 1 };
}

function readInline(text: string, offset: number): Read {
  const entries: [string, unknown][] = [];
  let at = skipSpace(text, offset + 1);
  while (text[at] !== '}') {
    const key = tomlKey(text, at);
    const equals = skipBlanks(text, key.end);
    if (key.path.length !== 1 || text[equals] !== '=') throw notUnderstood(text, at);
    const member = read(text, skipBlanks(text, equals + 1));
    entries.push([key.path[0] as string, member.value]);
    at = skipSpace(text, member.end);
    if (text[at] === ',') at = skipSpace(text, at + 1);
    else if (text[at] !== '}') throw notUnderstood(text, at);
  }
  return { value: Object.fromEntries(entries), end: at + 1 };
}

/** Skips blanks, line ends and comments, which lists may contain. */
function skipSpace(text: string, offset: number): number {
  return offset + (/^(?:\s|#[^\n]*)*/.exec(text.slice(offset))?.[0].length ?? 0);
}
