import type { IncomingHttpHeaders } from 'node:http';
import { PROXY_LIMITS } from '../limits.ts';

/** The head of a plain post. */
export interface PlainHead {
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly bodyLength: number;
  /** The received bytes, including the empty line. */
  readonly bytes: Buffer;
}

const END = '\r\n\r\n';
const REQUEST_LINE = /^POST (\/mcp(?:\/[\w-]+)?) HTTP\/1\.1$/;
const FIELD = /^([A-Za-z\d-]+):[\t ]*([\x21-\x7e](?:[\t\x20-\x7e]*[\x21-\x7e])?)[\t ]*$/;
const LENGTH = /^(?:0|[1-9]\d{0,6})$/;
/** These fields concern the connection or the transfer of the body. */
const NOT_PLAIN = new Set([
  'expect',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/**
 * Reads the head of a request that cannot be read in two ways: an HTTP/1.1 POST to `/mcp` or a profile, every field once, in printable
 * ASCII, with a content length. Returns undefined for anything else, valid or not: Node's parser reads it.
 */
export function readPlainHead(bytes: Buffer): PlainHead | undefined {
  const end = bytes.indexOf(END, 0, 'latin1');
  if (end < 0 || end > PROXY_LIMITS.plainHeadBytesMax) return undefined;
  const [requestLine = '', ...lines] = bytes.toString('latin1', 0, end).split('\r\n');
  const url = REQUEST_LINE.exec(requestLine)?.[1];
  const headers = url === undefined ? undefined : plainHeaders(lines);
  const length = headers?.['content-length'];
  if (url === undefined || !headers?.host || length === undefined || !LENGTH.test(length)) return undefined;
  return { url, headers, bodyLength: Number(length), bytes: Buffer.from(bytes.subarray(0, end + END.length)) };
}

function plainHeaders(lines: readonly string[]): IncomingHttpHeaders | undefined {
  const headers: Record<string, string> = Object.create(null);
  for (const line of lines) {
    const [, written = '', value = ''] = FIELD.exec(line) ?? [];
    const name = written.toLowerCase();
    if (name === '' || name in headers || NOT_PLAIN.has(name)) return undefined;
    if (name === 'connection' && value.toLowerCase() !== 'keep-alive') return undefined;
    headers[name] = value;
  }
  return headers;
}
