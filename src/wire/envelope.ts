import type { MessageId } from './json.ts';

/** A range of bytes: `start` inclusive, `end` exclusive. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** Where the top-level members of a JSON-RPC message stand in its bytes. */
export interface Envelope {
  readonly kind: 'request' | 'notification' | 'result' | 'error';
  readonly id: Span | undefined;
  readonly method: Span | undefined;
  readonly params: Span | undefined;
  readonly result: Span | undefined;
  readonly error: Span | undefined;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const COLON = 0x3a;
const COMMA = 0x2c;

/** Members whose repetition would let two parsers read two different messages. */
const NAMES = ['jsonrpc', 'id', 'method', 'params', 'result', 'error'] as const;
type Name = (typeof NAMES)[number];

/**
 * Finds the members of one JSON-RPC message without decoding their values, so that a large answer costs a walk over its
 * bytes and no objects. Undefined: not one JSON-RPC 2.0 message (a batch is none), or a member stands there twice.
 * The values are delimited, not validated: whoever decodes one finds out whether it is JSON.
 */
export function scanEnvelope(bytes: Uint8Array): Envelope | undefined {
  const buffer = asBuffer(bytes);
  let at = skipSpace(buffer, 0);
  if (buffer[at] !== OPEN_BRACE) return undefined;
  at = skipSpace(buffer, at + 1);
  const found: Partial<Record<Name, Span>> = {};
  while (buffer[at] === QUOTE) {
    const nameEnd = stringEnd(buffer, at);
    if (nameEnd < 0) return undefined;
    const name = memberName(buffer, at + 1, nameEnd - 1);
    at = skipSpace(buffer, nameEnd);
    if (buffer[at] !== COLON) return undefined;
    const start = skipSpace(buffer, at + 1);
    const end = valueEnd(buffer, start);
    if (end < 0) return undefined;
    if (name !== undefined) {
      if (found[name] !== undefined) return undefined;
      found[name] = { start, end };
    }
    at = skipSpace(buffer, end);
    if (buffer[at] !== COMMA) break;
    at = skipSpace(buffer, at + 1);
    if (buffer[at] !== QUOTE) return undefined;
  }
  if (buffer[at] !== CLOSE_BRACE || skipSpace(buffer, at + 1) !== buffer.length) return undefined;
  return found.jsonrpc !== undefined && text(buffer, found.jsonrpc) === '"2.0"' ? classify(found) : undefined;
}

/** The messages of a JSON-RPC batch as slices of its bytes; undefined if it is none, or holds more than `max`. */
export function splitBatch(bytes: Uint8Array, max: number): readonly Uint8Array[] | undefined {
  const buffer = asBuffer(bytes);
  let at = skipSpace(buffer, 0);
  if (buffer[at] !== OPEN_BRACKET) return undefined;
  const messages: Uint8Array[] = [];
  do {
    const start = skipSpace(buffer, at + 1);
    const end = buffer[start] === OPEN_BRACE ? valueEnd(buffer, start) : -1;
    if (end < 0 || messages.length >= max) return undefined;
    messages.push(buffer.subarray(start, end));
    at = skipSpace(buffer, end);
  } while (buffer[at] === COMMA);
  return buffer[at] === CLOSE_BRACKET && skipSpace(buffer, at + 1) === buffer.length ? messages : undefined;
}

/** The id of a scanned message: undefined if there is none, if it is null, or if it is neither a string nor a number. */
export function readId(bytes: Uint8Array, envelope: Envelope): MessageId | undefined {
  return envelope.id === undefined ? undefined : parseId(text(asBuffer(bytes), envelope.id));
}

const ID = String.raw`"id"\s*:\s*(-?\d+|"(?:[^"\\]|\\.)*")`;
const LEADING_ID = new RegExp(String.raw`^\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?${ID}`);
const TRAILING_ID = new RegExp(String.raw`${ID}\s*(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*$`);

/** Whose answer a message probably is of which only the ends are known: ids stand first or last. */
export function guessId(head: Uint8Array, tail: Uint8Array): MessageId | undefined {
  const found =
    LEADING_ID.exec(asBuffer(head).toString('latin1')) ?? TRAILING_ID.exec(asBuffer(tail).toString('latin1'));
  return found?.[1] === undefined ? undefined : parseId(found[1]);
}

/** The method of a scanned request or notification. */
export function readMethod(bytes: Uint8Array, envelope: Envelope): string | undefined {
  if (envelope.method === undefined) return undefined;
  const value = parseOrUndefined(text(asBuffer(bytes), envelope.method));
  return typeof value === 'string' ? value : undefined;
}

/** The same bytes with another value at a span: how an id or a name is rewritten without decoding the rest. */
export function spliceBytes(bytes: Uint8Array, span: Span, value: string): Uint8Array {
  const replacement = Buffer.from(value);
  return Buffer.concat([bytes.subarray(0, span.start), replacement, bytes.subarray(span.end)]);
}

function classify(found: Partial<Record<Name, Span>>): Envelope | undefined {
  const { id, method, params, result, error } = found;
  const members = { id, method, params, result, error };
  if (method !== undefined) {
    if (result !== undefined || error !== undefined) return undefined;
    return { kind: id === undefined ? 'notification' : 'request', ...members };
  }
  if ((result === undefined) === (error === undefined)) return undefined;
  return { kind: result === undefined ? 'error' : 'result', ...members };
}

function memberName(buffer: Buffer, start: number, end: number): Name | undefined {
  // An escape could spell one of the names; such a message comes from nobody well-meaning, so it is decoded to be sure.
  if (buffer.subarray(start, end).includes(BACKSLASH)) {
    const decoded = parseOrUndefined(`"${buffer.toString('utf8', start, end)}"`);
    return NAMES.find((name) => name === decoded);
  }
  if (end - start < 2 || end - start > 7) return undefined;
  const plain = buffer.toString('latin1', start, end);
  return NAMES.find((name) => name === plain);
}

/** The position after the closing quote of the string that begins at `start`; -1 if it does not end. */
function stringEnd(buffer: Buffer, start: number): number {
  let at = start + 1;
  for (;;) {
    const quote = buffer.indexOf(QUOTE, at);
    if (quote < 0) return -1;
    let slashes = 0;
    while (buffer[quote - 1 - slashes] === BACKSLASH && quote - 1 - slashes > start) slashes++;
    if (slashes % 2 === 0) return quote + 1;
    at = quote + 1;
  }
}

function valueEnd(buffer: Buffer, start: number): number {
  const first = buffer[start];
  if (first === QUOTE) return stringEnd(buffer, start);
  if (first === OPEN_BRACE || first === OPEN_BRACKET) return containerEnd(buffer, start);
  let at = start;
  while (at < buffer.length && !endsScalar(buffer[at] as number)) at++;
  return at === start ? -1 : at;
}

function containerEnd(buffer: Buffer, start: number): number {
  let depth = 0;
  for (let at = start; at < buffer.length; at++) {
    const byte = buffer[at];
    if (byte === QUOTE) {
      const end = stringEnd(buffer, at);
      if (end < 0) return -1;
      at = end - 1;
    } else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) depth++;
    else if ((byte === CLOSE_BRACE || byte === CLOSE_BRACKET) && --depth === 0) return at + 1;
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
  while (isSpace(buffer[at])) at++;
  return at;
}

function text(buffer: Buffer, span: Span): string {
  return buffer.toString('utf8', span.start, span.end);
}

function parseId(value: string): MessageId | undefined {
  const id = parseOrUndefined(value);
  return typeof id === 'string' || typeof id === 'number' ? id : undefined;
}

function parseOrUndefined(value: string): unknown {
  try {
    return JSON.parse(value);
  } catch {
    return undefined;
  }
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
