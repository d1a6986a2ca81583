import { isObject, type MessageId } from '../../contract/json.ts';
import { scanMembers, spliceSpans } from '../../wire/json-scan.ts';
import { scanEnvelope } from '../../wire/messages.ts';
import { oneLine } from '../../wire/one-line.ts';
import type { ClientRequest, Exchange } from '../message/client.ts';

/** The token under which a client wants progress notifications for a request. */
export function progressTokenOf({ params }: ClientRequest): MessageId | undefined {
  const meta = params?._meta;
  const token = isObject(meta) ? meta.progressToken : undefined;
  return typeof token === 'string' || typeof token === 'number' ? token : undefined;
}

/**
 * Forwards progress under the client's token. Only `params` is the server's text. Progress that names its token twice is ambiguous, so
 * it is dropped.
 */
export function passProgress(exchange: Exchange, bytes: Uint8Array, token: MessageId): void {
  const params = scanEnvelope(bytes)?.params;
  const given = params && scanMembers(bytes, params, PROGRESS_TOKEN)?.get('progressToken');
  if (!given) return;
  const changes = [
    { span: { start: 0, end: params.start }, value: PROGRESS_HEAD },
    { span: given, value: JSON.stringify(token) },
    { span: { start: params.end, end: bytes.length }, value: '}' },
  ];
  exchange.send(oneLine(spliceSpans(bytes, changes)));
}

const PROGRESS_TOKEN = ['progressToken'];
const PROGRESS_HEAD = '{"jsonrpc":"2.0","method":"notifications/progress","params":';
