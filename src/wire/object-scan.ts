import type { Span } from './envelope.ts';
import { foldCase } from './fold-case.ts';
import {
  asBuffer,
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COLON,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
  scanObject,
  skipSpace,
  stringEnd,
} from './json-scan.ts';

/** Where the named members of the object at a span stand; undefined where it is no object, or has one of them twice or in another case. */
export function scanMembers(bytes: Uint8Array, span: Span, names: readonly string[]): Map<string, Span> | undefined {
  return scanObject(asBuffer(bytes), span.start, names)?.found;
}

/** A value that takes the place of a span. */
export interface Change {
  readonly span: Span;
  readonly value: string;
}

/** The bytes with several spans replaced, in one copy. Spans do not overlap. */
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

/**
 * Whether any object in these bytes, at any depth, has two members whose names are equal or differ in case only: parsers disagree
 * which of them counts. The bytes are valid JSON.
 */
export function hasAmbiguousMembers(bytes: Uint8Array, span: Span): boolean {
  const buffer = asBuffer(bytes);
  const open: (Set<string> | undefined)[] = [];
  for (let at = span.start; at < span.end; at += 1) {
    const byte = buffer[at];
    if (byte === OPEN_BRACE) open.push(new Set());
    else if (byte === OPEN_BRACKET) open.push(undefined);
    else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) open.pop();
    else if (byte === QUOTE) {
      const end = stringEnd(buffer, at);
      const members = open.at(-1);
      if (members && buffer[skipSpace(buffer, end)] === COLON) {
        const name = foldCase(JSON.parse(buffer.toString('utf8', at, end)) as string);
        if (members.has(name)) return true;
        members.add(name);
      }
      at = end - 1;
    }
  }
  return false;
}
