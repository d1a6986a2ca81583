import type { Span } from './envelope.ts';
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

/** Where the named members of the object at a span stand; undefined where it is no object, or has one of them twice. */
export function scanMembers(bytes: Uint8Array, span: Span, names: readonly string[]): Map<string, Span> | undefined {
  return scanObject(asBuffer(bytes), span.start, names)?.found;
}

/** The bytes with several spans replaced, in one copy. Spans do not overlap. */
export function spliceSpans(
  bytes: Uint8Array,
  changes: readonly { readonly span: Span; readonly value: string }[],
): Uint8Array {
  const parts: Uint8Array[] = [];
  let at = 0;
  for (const { span, value } of [...changes].sort((a, b) => a.span.start - b.span.start)) {
    parts.push(bytes.subarray(at, span.start), Buffer.from(value));
    at = span.end;
  }
  parts.push(bytes.subarray(at));
  return Buffer.concat(parts);
}

/** Whether any object in these bytes, at any depth, has a member twice. The bytes are valid JSON. */
export function hasRepeatedMembers(bytes: Uint8Array, span: Span): boolean {
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
        const name = JSON.parse(buffer.toString('utf8', at, end)) as string;
        if (members.has(name)) return true;
        members.add(name);
      }
      at = end - 1;
    }
  }
  return false;
}
