import { foldCase } from './fold-case.ts';

/** A range of bytes: `start` inclusive, `end` exclusive. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

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
  /** The members found inside the member `into`; undefined if it is absent or not an unambiguous object. */
  readonly inside: Map<string, Span> | undefined;
  readonly end: number;
}

export interface ScanOptions {
  /** Also find members of this member. */
  readonly into?: { readonly name: string; readonly names: readonly string[] };
  readonly watch?: Watch | undefined;
}

/** What a scan looks for in nested values, in the same pass. */
export interface Watch {
  /** Nested objects and arrays in a value. */
  readonly depthMax: number;
  /** Small ASCII letters with which a string or a name may begin, in any spelling and case. */
  readonly prefix: string;
  isPrefixSeen: boolean;
}

/**
 * Finds the named members of the JSON object at `start`, with values undecoded, and where the object ends. Undefined: there is no
 * object, a value nests too deeply, or two parsers would read different objects, because a name is a duplicate or differs only in case
 * (Go's `encoding/json` ignores case).
 */
export function scanObject(
  buffer: Buffer,
  start: number,
  names: readonly string[],
  { into, watch }: ScanOptions = {},
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
    if (name === OTHER_CASE) return undefined;
    at = skipSpace(buffer, nameEnd);
    if (buffer[at] !== COLON) return undefined;
    const valueStart = skipSpace(buffer, at + 1);
    const inner =
      name !== undefined && name === into?.name ? scanObject(buffer, valueStart, into.names, { watch }) : undefined;
    const end = inner ? inner.end : valueEnd(buffer, valueStart, watch);
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

/** A name that differs from one of the names only in case. */
const OTHER_CASE = Symbol('other case');

function memberName(
  buffer: Buffer,
  start: number,
  end: number,
  names: readonly string[],
): string | typeof OTHER_CASE | undefined {
  for (const name of names) if (isText(buffer, start, end, name)) return name;
  if (!isPlainAscii(buffer, start, end)) return decodedMemberName(buffer.toString('utf8', start, end), names);
  for (const name of names) if (isTextInAnyCase(buffer, start, end, name)) return OTHER_CASE;
  return undefined;
}

/** An escape may spell one of the names, and some non-ASCII letters case-fold to ASCII. */
function decodedMemberName(text: string, names: readonly string[]): string | typeof OTHER_CASE | undefined {
  const name = decodeString(text);
  if (name === undefined) return undefined;
  if (names.includes(name)) return name;
  const folded = foldCase(name);
  return names.some((known) => foldCase(known) === folded) ? OTHER_CASE : undefined;
}

/** Whether these bytes equal an ASCII text. Comparing bytes is cheaper than creating a string. */
export function isText(buffer: Buffer, start: number, end: number, text: string): boolean {
  if (end - start !== text.length) return false;
  for (let at = 0; at < text.length; at += 1) if (buffer[start + at] !== text.charCodeAt(at)) return false;
  return true;
}

const ASCII_CASE_BIT = 0x20;
const LETTER_A = 0x61;
const LETTER_Z = 0x7a;

/** The same, ignoring case; the bytes are ASCII, too. */
function isTextInAnyCase(buffer: Buffer, start: number, end: number, text: string): boolean {
  if (end - start !== text.length) return false;
  for (let at = 0; at < text.length; at += 1) {
    const expected = text.charCodeAt(at);
    const byte = buffer[start + at] as number;
    if (byte === expected) continue;
    const lower = byte | ASCII_CASE_BIT;
    if (lower !== (expected | ASCII_CASE_BIT) || lower < LETTER_A || lower > LETTER_Z) return false;
  }
  return true;
}

/** Whether the bytes of a JSON string are plain ASCII without escapes. */
function isPlainAscii(buffer: Buffer, start: number, end: number): boolean {
  for (let at = start; at < end; at += 1) {
    const byte = buffer[at] as number;
    if (byte === BACKSLASH || byte >= 0x80) return false;
  }
  return true;
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
    // Most strings are short, and embedded JSON is full of quotes: a byte loop is cheaper than calls of `indexOf`.
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

/** The position after the value that begins at `start`; -1 if it does not end, or nests too deeply. */
export function valueEnd(buffer: Buffer, start: number, watch?: Watch): number {
  const first = buffer[start];
  if (first === QUOTE) return stringEnd(buffer, start);
  if (first === OPEN_BRACE || first === OPEN_BRACKET) return containerEnd(buffer, start, watch);
  let at = start;
  while (at < buffer.length && !endsScalar(buffer[at] as number)) at += 1;
  return at === start ? -1 : at;
}

function containerEnd(buffer: Buffer, start: number, watch: Watch | undefined): number {
  const { length } = buffer;
  const depthMax = watch?.depthMax ?? Number.MAX_SAFE_INTEGER;
  let depth = 0;
  for (let at = start; at < length; at += 1) {
    const byte = buffer[at] as number;
    if (byte === QUOTE) {
      if (watch && !watch.isPrefixSeen) watch.isPrefixSeen = spells(buffer, at + 1, watch.prefix);
      const end = stringEnd(buffer, at);
      if (end < 0) return -1;
      at = end - 1;
      continue;
    }
    // Commas, colons, digits and spaces have lower codes than all brackets.
    if (byte < OPEN_BRACKET) continue;
    if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
      depth += 1;
      if (depth > depthMax) return -1;
    } else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) {
      depth -= 1;
      if (depth === 0) return at + 1;
    }
  }
  return -1;
}

const SMALL_U = 0x75;

/** Whether a string's content begins with these small ASCII letters, in any case and also as escapes. */
function spells(buffer: Buffer, start: number, text: string): boolean {
  let at = start;
  for (let index = 0; index < text.length; index += 1) {
    const expected = text.charCodeAt(index);
    if (((buffer[at] as number) | ASCII_CASE_BIT) === expected) at += 1;
    else if (buffer[at] !== BACKSLASH || buffer[at + 1] !== SMALL_U) return false;
    else if ((Number.parseInt(buffer.toString('latin1', at + 2, at + 6), 16) | ASCII_CASE_BIT) !== expected)
      return false;
    else at += 6;
  }
  return true;
}

/** The start of another value also ends a scalar, so that the end of an object does not depend on whether it was scanned. */
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

/** The spans of the named members of an object; undefined if it is no object, or a name is a duplicate or differs only in case. */
export function scanMembers(bytes: Uint8Array, span: Span, names: readonly string[]): Map<string, Span> | undefined {
  return scanObject(asBuffer(bytes), span.start, names)?.found;
}

/** A replacement for a span. */
export interface Change {
  readonly span: Span;
  readonly value: string;
}

/** Replaces several spans in one copy. Spans must not overlap. */
export function spliceSpans(
  bytes: Uint8Array,
  changes: Change[],
  allocate: (length: number) => Buffer = Buffer.allocUnsafe,
): Uint8Array {
  if (changes.length > 1) changes.sort((a, b) => a.span.start - b.span.start);
  let length = bytes.length;
  for (const { span, value } of changes) length += Buffer.byteLength(value) - (span.end - span.start);
  const spliced = allocate(length);
  let [from, to] = [0, 0];
  for (const { span, value } of changes) {
    to += copy(bytes, from, span.start, spliced, to);
    to += spliced.write(value, to);
    from = span.end;
  }
  copy(bytes, from, bytes.length, spliced, to);
  return spliced;
}

function copy(bytes: Uint8Array, start: number, end: number, target: Buffer, at: number): number {
  target.set(start === 0 && end === bytes.length ? bytes : bytes.subarray(start, end), at);
  return end - start;
}
