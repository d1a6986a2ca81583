import { acquireBuffer, isPooled } from '../../wire/buffer-pool.ts';
import type { Span } from '../../wire/json-scan.ts';
import { WIRE_LIMITS } from '../../wire/limits.ts';
import { spliceSpans } from '../../wire/object-scan.ts';
import type { Client } from './client.ts';
import type { ClientRequest } from './client-message.ts';

/** The id of a request as the client wrote it. */
export function idText({ bytes, spans }: ClientRequest): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset + spans.id.start, spans.id.end - spans.id.start).toString('utf8');
}

/** A response whose result is a JSON text. */
export function resultBytes(request: ClientRequest, resultJson: string): Uint8Array {
  return Buffer.from(`{"jsonrpc":"2.0","id":${idText(request)},"result":${resultJson}}`);
}

export function errorBytes(id: string, code: number, message: string, data?: unknown): Uint8Array {
  return Buffer.from(`{"jsonrpc":"2.0","id":${id},"error":${JSON.stringify({ code, message, data })}}`);
}

/** The members that every complete result of revision 2026-07-28 begins with. */
export function completeResult({ era }: Client, members: string): string {
  return era === '2026' ? `{"resultType":"complete",${members}}` : `{${members}}`;
}

/** An answer of a server under the id that the client gave; nothing else of it is touched. */
export function readdressed(answer: Uint8Array, id: Span, request: ClientRequest): Uint8Array {
  const value = idText(request);
  return withIdInPlace(answer, id, value) ?? spliceSpans(answer, [{ span: id, value }], acquireBuffer);
}

/** Ids stand near the beginning, so in memory of our own what is before the id moves, and not the answer behind it. */
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
