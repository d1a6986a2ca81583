import {
  isObject,
  type JsonObject,
  type MessageId,
  type NotificationMessage,
  parseJson,
  type RequestMessage,
} from '../contract/json.ts';
import { type Envelope, scanEnvelope } from './envelope.ts';

export function encodeRequest(id: MessageId, message: RequestMessage): Buffer {
  return Buffer.from(JSON.stringify({ jsonrpc: '2.0', id, method: message.method, params: message.params }));
}

export function encodeNotification(message: NotificationMessage): Buffer {
  return Buffer.from(JSON.stringify({ jsonrpc: '2.0', method: message.method, params: message.params }));
}

/** The id is JSON text: a number may be larger than one that we can read exactly. */
export function encodeResult(id: string, result: JsonObject): Buffer {
  return Buffer.from(`{"jsonrpc":"2.0","id":${id},"result":${JSON.stringify(result)}}`);
}

/** The same for an error. */
export function encodeError(id: string, code: number, message: string): Buffer {
  return Buffer.from(`{"jsonrpc":"2.0","id":${id},"error":${JSON.stringify({ code, message })}}`);
}

/** What a response says, once decoded. */
export type Answer =
  | { readonly kind: 'result'; readonly result: JsonObject }
  | { readonly kind: 'error'; readonly error: RpcError }
  | { readonly kind: 'malformed' };

export interface RpcError {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/** Decodes a response whose envelope was scanned; a member of the wrong shape is `malformed`. */
export function decodeAnswer(bytes: Uint8Array, envelope: Envelope): Answer {
  const span = envelope.result ?? envelope.error;
  if (span === undefined) return { kind: 'malformed' };
  const value = parse(bytes.subarray(span.start, span.end));
  if (envelope.kind === 'result') return isObject(value) ? { kind: 'result', result: value } : { kind: 'malformed' };
  const error = readRpcError(value);
  return error === undefined ? { kind: 'malformed' } : { kind: 'error', error };
}

/** The JSON-RPC error that a body holds, if it is one (whatever its id). */
export function readErrorBody(bytes: Uint8Array): RpcError | undefined {
  const envelope = scanEnvelope(bytes);
  if (envelope?.kind !== 'error') return undefined;
  const answer = decodeAnswer(bytes, envelope);
  return answer.kind === 'error' ? answer.error : undefined;
}

/** The params of a scanned request or notification; undefined also where they are no object. */
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
