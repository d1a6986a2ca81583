import { isUtf8 } from 'node:buffer';
import { isObject, type JsonObject, type MessageId } from '../../contract/json.ts';
import { visibleLine } from '../../contract/visible-text.ts';
import { type Span, scanMembers, spliceSpans } from '../../wire/json-scan.ts';
import { ENVELOPE_NAMES, scanEnvelope } from '../../wire/messages.ts';
import { certainId, doubtfulMember } from '../../wire/object-members.ts';
import { COMPLETION_REF, paramNames, REQUEST_META } from '../../wire/request-params.ts';
import { RPC } from '../../wire/revisions.ts';
import { PROXY_LIMITS } from '../limits.ts';
import { RpcFailure } from './answers.ts';
import { oversizedBytes } from './argument-bounds.ts';
import type { ClientMessage, ClientRequest, ClientResponse } from './client.ts';

/**
 * Reads one client message: parsed once, with the spans of the parts that are forwarded. Throws `RpcFailure`, also if two parsers
 * would read two different messages.
 */
export function readClientMessage(bytes: Uint8Array): ClientMessage {
  const whole = oversizedBytes(bytes, { start: 0, end: bytes.length });
  return whole ? readOversized(bytes, whole.detail) : readMessage(bytes);
}

/** A request with the same id, but this method and these params. */
export function requestWith({ id }: ClientRequest, method: string, params: JsonObject): ClientRequest {
  return readClientMessage(Buffer.from(JSON.stringify({ jsonrpc: '2.0', id, method, params }))) as ClientRequest;
}

/** Reads a message without its arguments if they exceed a bound. A message that exceeds one elsewhere is invalid. */
function readOversized(bytes: Uint8Array, detail: string | undefined): ClientMessage {
  const envelope = scanEnvelope(bytes);
  const span = envelope?.params && scanMembers(bytes, envelope.params, ['arguments'])?.get('arguments');
  if (!span) throw invalid(`the message has too many parts: ${detail}`);
  const rest = spliceSpans(bytes, [{ span, value: '{}' }]);
  const other = oversizedBytes(rest, { start: 0, end: rest.length });
  if (other) throw invalid(`the message has too many parts: ${other.detail}`);
  const oversized = oversizedBytes(bytes, span);
  if (!oversized) return readMessage(bytes);
  const message = readMessage(rest);
  return message.kind === 'request' ? { ...message, oversized } : message;
}

function readMessage(bytes: Uint8Array): ClientMessage {
  const parsed = parseJson(bytes);
  const envelope = scanEnvelope(bytes);
  if (!envelope || !isObject(parsed))
    throw ambiguous(bytes, parsed, ambiguityText(bytes, 0, ENVELOPE_NAMES) ?? 'not one JSON-RPC 2.0 message');
  const params = parsed.params;
  if (params !== undefined && !isObject(params)) throw invalid('params must be an object', bytes);
  if (envelope.kind === 'result' || envelope.kind === 'error') return readResponse(parsed);
  const { method } = parsed;
  if (typeof method !== 'string') throw invalid('method must be a string', bytes);
  const membersOf = (span: Span | undefined, name: string, names: readonly string[]) => {
    const members = span && scanMembers(bytes, span, names);
    if (span && !members)
      throw ambiguous(bytes, parsed, ambiguityText(bytes, span.start, names, name) ?? `${name} must be an object`);
    return members;
  };
  if (params?.arguments !== undefined && !isObject(params.arguments))
    throw ambiguous(bytes, parsed, 'arguments must be an object');
  const paramSpans = membersOf(envelope.params, 'params', paramNames(method));
  const metaSpans = membersOf(paramSpans?.get('_meta'), '_meta', REQUEST_META);
  if (envelope.kind === 'notification') return { kind: 'notification', method, params };
  membersOf(paramSpans?.get('ref'), 'ref', COMPLETION_REF);
  const id = parsed.id;
  if (typeof id !== 'string' && !Number.isSafeInteger(id)) throw invalid('id must be a string or an integer');
  return {
    kind: 'request',
    id: id as MessageId,
    method,
    params,
    bytes,
    spans: { id: envelope.id as Span, params: paramSpans, progressToken: metaSpans?.get('progressToken') },
  };
}

/** Says which member makes an object ambiguous. */
function ambiguityText(bytes: Uint8Array, start: number, names: readonly string[], of = ''): string | undefined {
  const member = doubtfulMember(bytes, start, names);
  if (member === undefined) return undefined;
  return `the member ${namedMember(member)}${of && ` of ${of}`} is a duplicate, or differs from another member only in case`;
}

/** A member name from the client's message: quoted, on one line, truncated. */
export function namedMember(name: string): string {
  return visibleLine(JSON.stringify(name.slice(0, PROXY_LIMITS.refusedNameCharsMax)));
}

/** An ambiguous request: two parsers would read it differently. One reading is kept for the audit record. */
export class AmbiguousRequest extends RpcFailure {
  readonly kind = 'request';
  readonly method: string;
  readonly params: JsonObject | undefined;

  constructor(message: string, id: string | undefined, method: string, params: JsonObject | undefined) {
    super(RPC.invalidRequest, message, { httpStatus: 400, id });
    this.method = method;
    this.params = params;
  }
}

function ambiguous(bytes: Uint8Array, parsed: unknown, reason: string): RpcFailure {
  if (!isObject(parsed) || typeof parsed.method !== 'string' || parsed.id === undefined) return invalid(reason, bytes);
  const params = isObject(parsed.params) ? parsed.params : undefined;
  return new AmbiguousRequest(`Invalid request: ${reason}`, certainId(bytes), parsed.method, params);
}

function readResponse(parsed: JsonObject): ClientResponse {
  const { id, result, error } = parsed;
  if (typeof id !== 'string' && typeof id !== 'number') throw invalid('a response needs the id of its request');
  return {
    kind: 'response',
    id,
    result: isObject(result) ? result : undefined,
    error: isObject(error) ? readError(error) : undefined,
  };
}

function readError({ code, message, data }: JsonObject): NonNullable<ClientResponse['error']> {
  return {
    code: Number.isSafeInteger(code) ? (code as number) : RPC.internalError,
    message: typeof message === 'string' ? message : '',
    data,
  };
}

function parseJson(bytes: Uint8Array): unknown {
  try {
    if (isUtf8(bytes))
      return JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8'));
  } catch (cause) {
    throw new RpcFailure(RPC.parseError, 'Parse error: the body is not JSON', { httpStatus: 400, cause });
  }
  throw new RpcFailure(RPC.parseError, 'Parse error: the body is not UTF-8', { httpStatus: 400 });
}

function invalid(reason: string, bytes?: Uint8Array): RpcFailure {
  const id = bytes && certainId(bytes);
  return new RpcFailure(RPC.invalidRequest, `Invalid request: ${reason}`, { httpStatus: 400, id });
}
