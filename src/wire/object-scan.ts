import { asBuffer, type Span, scanObject } from './json-scan.ts';

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
