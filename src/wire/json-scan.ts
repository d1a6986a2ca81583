import type { Span } from './envelope.ts';

export const QUOTE = 0x22;
export const BACKSLASH = 0x5c;
export const OPEN_BRACE = 0x7b;
export const CLOSE_BRACE = 0x7d;
export const OPEN_BRACKET = 0x5b;
export const CLOSE_BRACKET = 0x5d;
export const COLON = 0x3a;
export const COMMA = 0x2c;

const NEAR_BYTES = 48;

export interface ScannedObject {
  readonly found: Map<string, Span>;
  /** What was found in the member that was looked into; undefined if it is absent, no object, or has one of the names twice. */
  readonly inside: Map<string, Span> | undefined;
  readonly end: number;
}

/**
 * Finds the named members of the JSON object that begins at `start`, values undecoded, and where the object ends; on the way the
 * named members of one of them. Undefined: there is no object, or one of the names stands in it twice, which two parsers would
 * read as two different messages.
 */
export function scanObject(
  buffer: Buffer,
  start: number,
  names: readonly string[],
  into?: { readonly name: string; readonly names: readonly string[] },
): ScannedObject | undefined {
  const found = new Map<string, Span>();
  let inside: Map<string, Span> | undefined;
  let at = skipSpace(buffer, start);
  if (buffer[at] !== OPEN_BRACE) return undefined;
  at = skipSpace(buffer, at + 1);
  while (buffer[at] === QUOTE) {
    const nameEnd = stringEnd(buffer, at);
    if (nameEnd < 0) return undefined;
    const name = memberName(buffer, at + 1, nameEnd - 1, names);
    at = skipSpace(buffer, nameEnd);
    if (buffer[at] !== COLON) return undefined;
    const valueStart = skipSpace(buffer, at + 1);
    const inner = name !== undefined && name === into?.name ? scanObject(buffer, valueStart, into.names) : undefined;
    const end = inner ? inner.end : valueEnd(buffer, valueStart);
    if (end < 0) return undefined;
    if (inner) inside = inner.found;
    if (name !== undefined) {
      if (found.has(name)) return undefined;
      found.set(name, { start: valueStart, end });
    }
    at = skipSpace(buffer, end);
    if (buffer[at] !== COMMA) break;
    at = skipSpace(buffer, at + 1);
    if (buffer[at] !== QUOTE) return undefined;
  }
  return buffer[at] === CLOSE_BRACE ? { found, inside, end: at + 1 } : undefined;
}

/** The same bytes as a Buffer, without a copy. */
export function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function memberName(buffer: Buffer, start: number, end: number, names: readonly string[]): string | undefined {
  for (const name of names) if (isText(buffer, start, end, name)) return name;
  // An escape could spell one of them.
  if (!hasEscape(buffer, start, end)) return undefined;
  const name = decodeString(buffer.toString('utf8', start, end));
  return name !== undefined && names.includes(name) ? name : undefined;
}

/** Whether these bytes are an ASCII text. Comparing them here costs less than making a string of them. */
export function isText(buffer: Buffer, start: number, end: number, text: string): boolean {
  if (end - start !== text.length) return false;
  for (let at = 0; at < text.length; at += 1) if (buffer[start + at] !== text.charCodeAt(at)) return false;
  return true;
}

function hasEscape(buffer: Buffer, start: number, end: number): boolean {
  for (let at = start; at < end; at += 1) if (buffer[at] === BACKSLASH) return true;
  return false;
}

function decodeString(text: string): string | undefined {
  try {
    return JSON.parse(`"${text}"`) as string;
  } catch {
    return undefined;
  }
}

/** The position after the closing quote of the string that begins at `start`; -1 if it does not end. */
export function stringEnd(buffer: Buffer, start: number): number {
  let at = start + 1;
  for (;;) {
    // Most strings are short, and JSON in a string is full of quotes: looking at bytes here costs less than asking for a search.
    for (let near = at + NEAR_BYTES; at < near; at += 1) {
      const byte = buffer[at];
      if (byte === QUOTE) return at + 1;
      if (byte === undefined) return -1;
      if (byte !== BACKSLASH) continue;
      at += 1;
      if (buffer[at] === QUOTE) near = at + NEAR_BYTES;
    }
    const quote = buffer.indexOf(QUOTE, at);
    if (quote < 0) return -1;
    let slashes = 0;
    while (buffer[quote - 1 - slashes] === BACKSLASH && quote - 1 - slashes >= at) slashes += 1;
    if (slashes % 2 === 0) return quote + 1;
    at = quote + 1;
  }
}

/** The position after the value that begins at `start`; -1 if it does not end. */
export function valueEnd(buffer: Buffer, start: number): number {
  const first = buffer[start];
  if (first === QUOTE) return stringEnd(buffer, start);
  if (first === OPEN_BRACE || first === OPEN_BRACKET) return containerEnd(buffer, start);
  let at = start;
  while (at < buffer.length && !endsScalar(buffer[at] as number)) at += 1;
  return at === start ? -1 : at;
}

function containerEnd(buffer: Buffer, start: number): number {
  let depth = 0;
  for (let at = start; at < buffer.length; at += 1) {
    const byte = buffer[at];
    if (byte === QUOTE) {
      const end = stringEnd(buffer, at);
      if (end < 0) return -1;
      at = end - 1;
    } else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) depth += 1;
    else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) {
      depth -= 1;
      if (depth === 0) return at + 1;
    }
  }
  return -1;
}

/** What opens another value ends it as well: where an object ends must not depend on whether it was looked into. */
function endsScalar(byte: number): boolean {
  return (
    byte === COMMA ||
    byte === CLOSE_BRACE ||
    byte === CLOSE_BRACKET ||
    byte === OPEN_BRACE ||
    byte === OPEN_BRACKET ||
    byte === QUOTE ||
    isSpace(byte)
  );
}

function isSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

export function skipSpace(buffer: Buffer, start: number): number {
  let at = start;
  while (isSpace(buffer[at])) at += 1;
  return at;
}
