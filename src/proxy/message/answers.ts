import { acquireBuffer, isPooled } from '../../wire/buffer-pool.ts';
import { type Span, spliceSpans } from '../../wire/json-scan.ts';
import { WIRE_LIMITS } from '../../wire/limits.ts';
import { RPC } from '../../wire/revisions.ts';
import type { Client, ClientRequest } from './client.ts';

/** A request that is answered with a JSON-RPC error. `httpStatus` is set if the HTTP request itself is at fault. */
export class RpcFailure extends Error {
  readonly code: number;
  readonly data: unknown;
  readonly httpStatus: number;
  /** `WWW-Authenticate` of the answer. */
  readonly challenge: string | undefined;
  /** The id as the client wrote it, if the rest of the request could not be read. */
  readonly id: string | undefined;

  constructor(
    code: number,
    message: string,
    options: {
      data?: unknown;
      httpStatus?: number;
      challenge?: string | undefined;
      id?: string | undefined;
      cause?: unknown;
    } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'RpcFailure';
    this.code = code;
    this.data = options.data;
    this.httpStatus = options.httpStatus ?? 200;
    this.challenge = options.challenge;
    this.id = options.id;
  }
}

/** Revision 2026-07-28 defines an HTTP status for this error. */
export function methodNotFound(method: string, httpStatus = 200): RpcFailure {
  return new RpcFailure(RPC.methodNotFound, `Method not found: ${method}`, { httpStatus });
}

/** The id of a request as the client wrote it. */
export function idText({ bytes, spans }: ClientRequest): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset + spans.id.start, spans.id.end - spans.id.start).toString('utf8');
}

/** A response with a result that is already JSON text. */
export function resultBytes(request: ClientRequest, resultJson: string): Uint8Array {
  return Buffer.from(`{"jsonrpc":"2.0","id":${idText(request)},"result":${resultJson}}`);
}

export function errorBytes(id: string, code: number, message: string, data?: unknown): Uint8Array {
  return Buffer.from(`{"jsonrpc":"2.0","id":${id},"error":${JSON.stringify({ code, message, data })}}`);
}

/** The answer to a request that failed. */
export function failureBytes(request: ClientRequest, { code, message, data }: RpcFailure): Uint8Array {
  return errorBytes(idText(request), code, message, data);
}

/** The members that every complete result of revision 2026-07-28 begins with. */
export function completeResult({ era }: Client, members: string): string {
  return era === '2026' ? `{"resultType":"complete",${members}}` : `{${members}}`;
}

/** A server's answer under the client's id; the rest stays unchanged. */
export function readdressed(answer: Uint8Array, id: Span, request: ClientRequest): Uint8Array {
  const value = idText(request);
  return withIdInPlace(answer, id, value) ?? spliceSpans(answer, [{ span: id, value }], acquireBuffer);
}

/** Replaces the id in a pooled buffer by moving the few bytes before it instead of the large answer after it. */
function withIdInPlace(answer: Uint8Array, { start, end }: Span, value: string): Uint8Array | undefined {
  const growth = Buffer.byteLength(value) - (end - start);
  const from = answer.byteOffset - growth;
  if (from < 0 || start > WIRE_LIMITS.headRoomBytes || !isPooled(answer)) return undefined;
  const moved = Buffer.from(answer.buffer, from, answer.length + growth);
  if (growth > 0) moved.copyWithin(0, growth, growth + start);
  else moved.set(answer.subarray(0, start));
  moved.write(value, start);
  return moved;
}
