import {
  isObject,
  type JsonObject,
  type MessageId,
  type NotificationMessage,
  parseJson,
  type RequestMessage,
} from '../contract/json.ts';
import {
  asBuffer,
  CLOSE_BRACKET,
  COMMA,
  isText,
  OPEN_BRACE,
  OPEN_BRACKET,
  type ScannedObject,
  type ScanOptions,
  type Span,
  scanObject,
  skipSpace,
  valueEnd,
  type Watch,
} from './json-scan.ts';
import { WIRE_LIMITS } from './limits.ts';
import { OWN_META_SPACE, withoutOwnMeta } from './own-meta.ts';

/** The spans of the top-level members of a JSON-RPC message. */
export interface Envelope {
  readonly kind: 'request' | 'notification' | 'result' | 'error';
  readonly id: Span | undefined;
  readonly method: Span | undefined;
  readonly params: Span | undefined;
  readonly result: Span | undefined;
  readonly error: Span | undefined;
  /** Members that tell the kind of a result; undefined if it is no object, or has one of them twice. */
  readonly resultKind: ReadonlyMap<string, Span> | undefined;
}

/** Members whose repetition would let two parsers read two different messages. */
export const ENVELOPE_NAMES = ['jsonrpc', 'id', 'method', 'params', 'result', 'error'] as const;
const RESULT_KIND: ScanOptions = { into: { name: 'result', names: ['isError', 'resultType', 'inputRequests'] } };

/**
 * Finds the members of one JSON-RPC message without decoding their values, so that a large answer costs one pass over its bytes and no
 * objects. Undefined: not one JSON-RPC 2.0 message (a batch is none), or a duplicate member. The values are delimited, not validated.
 */
export function scanEnvelope(bytes: Uint8Array): Envelope | undefined {
  return envelopeOf(bytes, RESULT_KIND);
}

/** Why a message is none for us: parsers of clients may fail on it. */
export const TOO_DEEP = `the message nests more than ${WIRE_LIMITS.messageDepthMax} levels`;

/**
 * The same for a server's message, without members of `_meta` that only Bindery writes. Also undefined if the message nests too deeply.
 * Nearly all messages keep their bytes.
 */
export function readServerMessage(bytes: Uint8Array): { bytes: Uint8Array; envelope: Envelope } | undefined {
  const watch: Watch = { depthMax: WIRE_LIMITS.messageDepthMax, prefix: OWN_META_SPACE, isPrefixSeen: false };
  const envelope = envelopeOf(bytes, { ...RESULT_KIND, watch });
  const theirs = envelope && watch.isPrefixSeen ? withoutOwnMeta(bytes) : undefined;
  if (theirs === undefined) return envelope && { bytes, envelope };
  const rewritten = scanEnvelope(theirs);
  return rewritten && { bytes: theirs, envelope: rewritten };
}

function envelopeOf(bytes: Uint8Array, options: ScanOptions): Envelope | undefined {
  const buffer = asBuffer(bytes);
  const scanned = scanObject(buffer, 0, ENVELOPE_NAMES, options);
  if (!scanned || skipSpace(buffer, scanned.end) !== buffer.length) return undefined;
  const jsonrpc = scanned.found.get('jsonrpc');
  const isCurrent = jsonrpc !== undefined && isText(buffer, jsonrpc.start, jsonrpc.end, '"2.0"');
  return isCurrent ? classify(scanned) : undefined;
}

/** The id of a scanned message; undefined if it is missing, null, or neither a string nor a number. */
export function readId(bytes: Uint8Array, envelope: Envelope): MessageId | undefined {
  if (envelope.id === undefined) return undefined;
  return countingNumber(bytes, envelope.id) ?? parseId(text(asBuffer(bytes), envelope.id));
}

/** The id of a scanned message as written. */
export function writtenId(bytes: Uint8Array, { id }: Envelope): string {
  return id === undefined ? 'null' : text(asBuffer(bytes), id);
}

const ZERO = 0x30;
/** Numbers with up to this many digits are exact. */
const DIGITS_MAX = 15;

/** Our own ids are integers: parses them without creating a string. */
function countingNumber(bytes: Uint8Array, { start, end }: Span): number | undefined {
  if (bytes[start] === ZERO || end - start > DIGITS_MAX) return undefined;
  let number = 0;
  for (let at = start; at < end; at += 1) {
    const digit = (bytes[at] as number) - ZERO;
    if (digit < 0 || digit > 9) return undefined;
    number = number * 10 + digit;
  }
  return number;
}

const ID = String.raw`"id"\s*:\s*(-?\d+|"(?:[^"\\]|\\.)*")`;
const LEADING_ID = new RegExp(String.raw`^\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?${ID}`);
const TRAILING_ID = new RegExp(String.raw`${ID}\s*(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*$`);

/** The likely id of a message of which only the ends are known: ids usually come first or last. */
export function guessId(head: Uint8Array, tail: Uint8Array): MessageId | undefined {
  const found =
    LEADING_ID.exec(asBuffer(head).toString('latin1')) ?? TRAILING_ID.exec(asBuffer(tail).toString('latin1'));
  return found?.[1] === undefined ? undefined : parseId(found[1]);
}

/** The method of a scanned request or notification. */
export function readMethod(bytes: Uint8Array, envelope: Envelope): string | undefined {
  if (envelope.method === undefined) return undefined;
  const value = parseJson(text(asBuffer(bytes), envelope.method));
  return typeof value === 'string' ? value : undefined;
}

/** The messages of a JSON-RPC batch as slices of its bytes; undefined if it is no batch, or has more than `max` messages. */
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

function classify({ found, inside }: ScannedObject): Envelope | undefined {
  const id = found.get('id');
  const method = found.get('method');
  const result = found.get('result');
  const error = found.get('error');
  const kind = method ? calls(id, result, error) : answers(result, error);
  return kind && { kind, id, method, params: found.get('params'), result, error, resultKind: inside };
}

function calls(id?: Span, result?: Span, error?: Span): Envelope['kind'] | undefined {
  if (result || error) return undefined;
  return id ? 'request' : 'notification';
}

function answers(result?: Span, error?: Span): Envelope['kind'] | undefined {
  if (result && error) return undefined;
  return result ? 'result' : error && 'error';
}

function text(buffer: Buffer, span: Span): string {
  return buffer.toString('utf8', span.start, span.end);
}

function parseId(value: string): MessageId | undefined {
  const id = parseJson(value);
  return typeof id === 'string' || typeof id === 'number' ? id : undefined;
}

export function encodeRequest(id: MessageId, message: RequestMessage): Buffer {
  return Buffer.from(JSON.stringify({ jsonrpc: '2.0', id, method: message.method, params: message.params }));
}

export function encodeNotification(message: NotificationMessage): Buffer {
  return Buffer.from(JSON.stringify({ jsonrpc: '2.0', method: message.method, params: message.params }));
}

/** The id is JSON text, since a number may exceed the exact range. */
export function encodeResult(id: string, result: JsonObject): Buffer {
  return Buffer.from(`{"jsonrpc":"2.0","id":${id},"result":${JSON.stringify(result)}}`);
}

/** The same for an error. */
export function encodeError(id: string, code: number, message: string): Buffer {
  return Buffer.from(`{"jsonrpc":"2.0","id":${id},"error":${JSON.stringify({ code, message })}}`);
}

/** The decoded content of a response. */
export type Answer =
  | { readonly kind: 'result'; readonly result: JsonObject }
  | { readonly kind: 'error'; readonly error: RpcError }
  | { readonly kind: 'malformed' };

export interface RpcError {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/** Decodes a response with a scanned envelope; a member of the wrong type is `malformed`. */
export function decodeAnswer(bytes: Uint8Array, envelope: Envelope): Answer {
  const span = envelope.result ?? envelope.error;
  if (span === undefined) return { kind: 'malformed' };
  const value = parse(bytes.subarray(span.start, span.end));
  if (envelope.kind === 'result') return isObject(value) ? { kind: 'result', result: value } : { kind: 'malformed' };
  const error = readRpcError(value);
  return error === undefined ? { kind: 'malformed' } : { kind: 'error', error };
}

/** The JSON-RPC error in a body, if it is one, with any id. */
export function readErrorBody(bytes: Uint8Array): RpcError | undefined {
  const envelope = scanEnvelope(bytes);
  if (envelope?.kind !== 'error') return undefined;
  const answer = decodeAnswer(bytes, envelope);
  return answer.kind === 'error' ? answer.error : undefined;
}

/** The params of a scanned request or notification; undefined if they are not an object. */
export function decodeParams(bytes: Uint8Array, envelope: Envelope): JsonObject | undefined {
  if (envelope.params === undefined) return undefined;
  const value = parse(bytes.subarray(envelope.params.start, envelope.params.end));
  return isObject(value) ? value : undefined;
}

function readRpcError(value: unknown): RpcError | undefined {
  if (!isObject(value) || typeof value.code !== 'number') return undefined;
  const message = typeof value.message === 'string' ? value.message : '';
  return value.data === undefined ? { code: value.code, message } : { code: value.code, message, data: value.data };
}

function parse(bytes: Uint8Array): unknown {
  return parseJson(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8'));
}

/** The notification with a log line of a server. */
export const LOG_MESSAGE = 'notifications/message';

/** Notifications about one call. Others, such as changed lists, are about the connection, whatever stream brought them. */
export const ABOUT_CALLS: ReadonlySet<string> = new Set([
  LOG_MESSAGE,
  'notifications/progress',
  'notifications/elicitation/complete',
]);

/** The usual beginning of such a notification. */
const USUAL_START = Buffer.from(`{"jsonrpc":"2.0","method":"${LOG_MESSAGE}",`);

/** Whether a message begins like a log line: log lines without a reader are dropped after this check alone. */
export function beginsAsLogMessage(bytes: Uint8Array): boolean {
  if (bytes.length < USUAL_START.length) return false;
  for (let at = USUAL_START.length - 1; at >= 0; at -= 1) if (bytes[at] !== USUAL_START[at]) return false;
  return true;
}
