import { isUtf8 } from 'node:buffer';
import { type Span, scanEnvelope } from '../wire/envelope.ts';
import { isObject, type JsonObject, type MessageId } from '../wire/json.ts';
import { scanMembers } from '../wire/object-scan.ts';
import { RPC } from '../wire/revisions.ts';
import { RpcFailure } from './rpc-failure.ts';

export interface ClientRequest {
  readonly kind: 'request';
  readonly id: MessageId;
  readonly method: string;
  readonly params: JsonObject | undefined;
  readonly bytes: Uint8Array;
  /** Where the members that may be rewritten stand in the bytes. */
  readonly spans: RequestSpans;
}

export interface RequestSpans {
  readonly id: Span;
  readonly name?: Span;
  readonly arguments?: Span;
  readonly uri?: Span;
  readonly progressToken?: Span;
}

export interface ClientNotification {
  readonly kind: 'notification';
  readonly method: string;
  readonly params: JsonObject | undefined;
}

/** A client's answer to a question of ours. */
export interface ClientResponse {
  readonly kind: 'response';
  readonly id: MessageId;
  readonly result: JsonObject | undefined;
  readonly error: { readonly code: number; readonly message: string; readonly data?: unknown } | undefined;
}

export type ClientMessage = ClientRequest | ClientNotification | ClientResponse;

const PARAM_NAMES = ['name', 'arguments', 'uri', '_meta'];

/** Reads one message of a client: parsed once, with the places of what may be rewritten. Throws `RpcFailure`. */
export function readClientMessage(bytes: Uint8Array): ClientMessage {
  const parsed = parseJson(bytes);
  const envelope = scanEnvelope(bytes);
  if (!envelope || !isObject(parsed)) throw invalid('not one JSON-RPC 2.0 message');
  const params = parsed.params;
  if (params !== undefined && !isObject(params)) throw invalid('params must be an object');
  if (envelope.kind === 'result' || envelope.kind === 'error') return readResponse(parsed);
  if (typeof parsed.method !== 'string') throw invalid('method must be a string');
  const paramSpans = envelope.params && scanMembers(bytes, envelope.params, PARAM_NAMES);
  if (envelope.params && !paramSpans) throw invalid('a member of params stands there twice');
  if (envelope.kind === 'notification') return { kind: 'notification', method: parsed.method, params };
  const id = parsed.id;
  if (typeof id !== 'string' && !Number.isSafeInteger(id)) throw invalid('id must be a string or an integer');
  return {
    kind: 'request',
    id: id as MessageId,
    method: parsed.method,
    params,
    bytes,
    spans: { id: envelope.id as Span, ...requestSpans(bytes, paramSpans) },
  };
}

function requestSpans(bytes: Uint8Array, params: Map<string, Span> | undefined): Omit<RequestSpans, 'id'> {
  const meta = params?.get('_meta');
  const metaSpans = meta && scanMembers(bytes, meta, ['progressToken']);
  if (meta && !metaSpans) throw invalid('_meta must be an object without repeated members');
  const spans: Record<string, Span> = {};
  for (const name of ['name', 'arguments', 'uri']) {
    const span = params?.get(name);
    if (span) spans[name] = span;
  }
  const token = metaSpans?.get('progressToken');
  return token ? { ...spans, progressToken: token } : spans;
}

function readResponse(parsed: JsonObject): ClientResponse {
  const { id, result, error } = parsed;
  if (typeof id !== 'string' && typeof id !== 'number') throw invalid('a response needs the id of its request');
  return {
    kind: 'response',
    id,
    result: isObject(result) ? result : undefined,
    error: isObject(error) ? { code: Number(error.code), message: String(error.message), data: error.data } : undefined,
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

function invalid(reason: string): RpcFailure {
  return new RpcFailure(RPC.invalidRequest, `Invalid request: ${reason}`, { httpStatus: 400 });
}
