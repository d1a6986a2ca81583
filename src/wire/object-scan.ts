import type { Span } from './envelope.ts';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const COLON = 0x3a;
const COMMA = 0x2c;

/**
 * Where the named members of a JSON object stand in its bytes, values undecoded. Undefined: the bytes are no object, or one
 * of the names stands there twice, which two parsers would read as two different messages.
 */
export function scanMembers(bytes: Uint8Array, span: Span, names: readonly string[]): Map<string, Span> | undefined {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const found = new Map<string, Span>();
  let at = skipSpace(buffer, span.start);
  if (buffer[at] !== OPEN_BRACE) return undefined;
  at = skipSpace(buffer, at + 1);
  while (buffer[at] === QUOTE) {
    const nameEnd = stringEnd(buffer, at);
    if (nameEnd < 0) return undefined;
    const name = memberName(buffer, at + 1, nameEnd - 1, names);
    at = skipSpace(buffer, nameEnd);
    if (buffer[at] !== COLON) return undefined;
    const start = skipSpace(buffer, at + 1);
    const end = valueEnd(buffer, start);
    if (end < 0) return undefined;
    if (name !== undefined) {
      if (found.has(name)) return undefined;
      found.set(name, { start, end });
    }
    at = skipSpace(buffer, end);
    if (buffer[at] !== COMMA) break;
    at = skipSpace(buffer, at + 1);
    if (buffer[at] !== QUOTE) return undefined;
  }
  return buffer[at] === CLOSE_BRACE ? found : undefined;
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
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
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

function memberName(buffer: Buffer, start: number, end: number, names: readonly string[]): string | undefined {
  // An escape could spell one of the names, so such a member is decoded to be sure.
  const escaped = buffer.subarray(start, end).includes(BACKSLASH);
  const name = escaped
    ? (JSON.parse(`"${buffer.toString('utf8', start, end)}"`) as string)
    : buffer.toString('utf8', start, end);
  return names.includes(name) ? name : undefined;
}

function stringEnd(buffer: Buffer, start: number): number {
  let at = start + 1;
  for (;;) {
    const quote = buffer.indexOf(QUOTE, at);
    if (quote < 0) return -1;
    let slashes = 0;
    while (buffer[quote - 1 - slashes] === BACKSLASH && quote - 1 - slashes > start) slashes += 1;
    if (slashes % 2 === 0) return quote + 1;
    at = quote + 1;
  }
}

function valueEnd(buffer: Buffer, start: number): number {
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

function endsScalar(byte: number): boolean {
  return byte === COMMA || byte === CLOSE_BRACE || byte === CLOSE_BRACKET || isSpace(byte);
}

function isSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

function skipSpace(buffer: Buffer, start: number): number {
  let at = start;
  while (isSpace(buffer[at])) at += 1;
  return at;
}
