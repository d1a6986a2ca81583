import fc from 'fast-check';
import { expect, test } from 'vitest';
import { CONNECTION_LIMITS as LIMITS } from '../connection/limits.ts';
import { ResponseParser } from './response-parser.ts';

interface Read {
  readonly status: number;
  readonly headers: Record<string, string | string[]>;
  readonly body: string;
  readonly complete: boolean;
}

/** What a parser makes of bytes that come in these parts, and then the end of the connection. */
function read(parts: readonly string[]): Read {
  const parser = new ResponseParser();
  let status = 0;
  let headers: Record<string, string | string[]> = {};
  let body = '';
  let complete = false;
  parser.begin({
    onHead: (code, fields) => {
      status = code;
      headers = { ...fields };
    },
    onBody: (chunk) => {
      body += chunk.toString('latin1');
    },
    onEnd: () => {
      complete = true;
    },
  });
  for (const part of parts) parser.push(Buffer.from(part, 'latin1'));
  parser.finish();
  return { status, headers, body, complete };
}

test('a body ends where its length, its last chunk or its connection ends', () => {
  expect(read(['HTTP/1.1 200 OK\r\nContent-Length: 5\r\nX: 1\r\nx: 2\r\n\r\nhello'])).toEqual({
    status: 200,
    headers: { 'content-length': '5', x: ['1', '2'] },
    body: 'hello',
    complete: true,
  });
  expect(
    read(['HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5;a=b\r\nhello\r\n1\r\n!\r\n0\r\nt: 1\r\n\r\n']),
  ).toEqual({ status: 200, headers: { 'transfer-encoding': 'chunked' }, body: 'hello!', complete: true });
  expect(read(['HTTP/1.0 200 OK\r\n\r\nhel', 'lo'])).toEqual({
    status: 200,
    headers: {},
    body: 'hello',
    complete: true,
  });
  expect(read(['HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n'])).toEqual({
    status: 204,
    headers: {},
    body: '',
    complete: true,
  });
});

test('a body that breaks off is not complete', () => {
  expect(read(['HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhel']).complete).toBe(false);
  expect(read(['HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n']).complete).toBe(false);
  expect(read(['HTTP/1.1 200 OK\r\ncontent-le']).complete).toBe(false);
});

test.each([
  ['no HTTP', 'SSH-2.0-OpenSSH\r\n\r\n'],
  ['two framings', 'HTTP/1.1 200 OK\r\ncontent-length: 1\r\ntransfer-encoding: chunked\r\n\r\n'],
  ['two lengths', 'HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n'],
  ['a length that is no number', 'HTTP/1.1 200 OK\r\ncontent-length: +5\r\n\r\n'],
  ['a length with a blank that only some take for one', 'HTTP/1.1 200 OK\r\ncontent-length: 5\xa0\r\n\r\n'],
  ['a trailer that is no field', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n0\r\nx\r\n\r\n'],
  ['another coding', 'HTTP/1.1 200 OK\r\ntransfer-encoding: gzip, chunked\r\n\r\n'],
  ['a folded line', 'HTTP/1.1 200 OK\r\nx: 1\r\n y\r\n\r\n'],
  ['a space before the colon', 'HTTP/1.1 200 OK\r\ncontent-length : 5\r\n\r\n'],
  ['a bare line feed', 'HTTP/1.1 200 OK\r\nx: 1\ny: 2\r\n\r\n'],
  ['an upgrade', 'HTTP/1.1 101 Switching\r\n\r\n'],
  ['bytes after the end', 'HTTP/1.1 200 OK\r\ncontent-length: 1\r\n\r\nab'],
  ['a second response', 'HTTP/1.1 204 No\r\n\r\nHTTP/1.1 200 OK\r\n\r\n'],
  ['a chunk without a size', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n'],
  ['a chunk longer than it says', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1\r\nab\r\n'],
  ['a head without an end', `HTTP/1.1 200 OK\r\nx: ${'y'.repeat(70_000)}`],
])('%s is refused', (_what, text) => {
  expect(() => read([text])).toThrow(expect.objectContaining({ name: 'MalformedResponse' }));
});

const BODY = 'content-length: 0';
const chunked = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n';

/** A response whose head has so many bytes before its end, in fields whose names and values are short. */
function withHead(bytes: number): string {
  const head = `HTTP/1.1 200 OK\r\n${BODY}\r\n`;
  return `${head}x: ${'y'.repeat(bytes - head.length - 'x: '.length)}\r\n\r\n`;
}

function withInterim(heads: number, fieldBytes = 1): string {
  const interim = `HTTP/1.1 100 Continue\r\nx: ${'y'.repeat(fieldBytes)}\r\n\r\n`;
  return `${interim.repeat(heads)}HTTP/1.1 200 OK\r\n${BODY}\r\n\r\n`;
}

const trailer = (bytes: number) => `t: ${'y'.repeat(bytes - 't: '.length)}\r\n`;

test.each([
  ['bytes of a head', LIMITS.headBytesMax, withHead],
  [
    'fields of a head',
    LIMITS.headFieldsMax,
    (fields: number) => `HTTP/1.1 200 OK\r\n${BODY}\r\n${'a:\r\n'.repeat(fields - 1)}\r\n`,
  ],
  ['interim responses', LIMITS.interimHeadsMax, (heads: number) => withInterim(heads)],
  [
    'bytes of all heads together',
    LIMITS.headBytesMax,
    (bytes: number) => withInterim(2, (bytes - withInterim(2, 0).length + 3 * '\r\n\r\n'.length) / 2),
  ],
  [
    'bytes of a line before a chunk',
    LIMITS.chunkLineBytesMax,
    (bytes: number) => `${chunked}0;${'x'.repeat(bytes - 2)}\r\n\r\n`,
  ],
  ['fields of a trailer', LIMITS.headFieldsMax, (fields: number) => `${chunked}0\r\n${'a:\r\n'.repeat(fields)}\r\n`],
  [
    'bytes of a trailer',
    LIMITS.headBytesMax,
    (bytes: number) => `${chunked}0\r\n${trailer(4_000).repeat(4)}${trailer(bytes - 16_000)}\r\n`,
  ],
])('%s: the limit is allowed and no more, in one piece and byte by byte', (what, limit, response) => {
  const over = what === 'bytes of all heads together' ? limit + 2 : limit + 1;
  const ways: ((text: string) => string[])[] = [(text) => [text], (text) => [...text]];
  for (const parts of ways) {
    expect(read(parts(response(limit)))).toMatchObject({ status: 200, complete: true });
    expect(() => read(parts(response(over)))).toThrow(expect.objectContaining({ name: 'MalformedResponse' }));
  }
});

test('the same bytes mean the same in parts of any size', () => {
  const framed = fc
    .tuple(fc.string({ maxLength: 40, unit: 'binary-ascii' }), fc.boolean(), fc.nat(5))
    .map(([body, chunked, size]) => ({ body, text: responseText(body, chunked, size + 1) }));
  fc.assert(
    fc.property(framed, fc.array(fc.nat(200), { maxLength: 8 }), ({ body, text }, cuts) => {
      const at = [...new Set(cuts.map((cut) => cut % text.length))].sort((a, b) => a - b);
      const parts = [0, ...at].map((start, index) => text.slice(start, at[index] ?? text.length));
      expect(read(parts)).toEqual(read([text]));
      expect(read(parts)).toMatchObject({ status: 200, body, complete: true });
    }),
  );
});

function responseText(body: string, chunked: boolean, size: number): string {
  if (!chunked) return `HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
  const chunks = body.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? [];
  const written = chunks.map((chunk) => `${chunk.length.toString(16)}\r\n${chunk}\r\n`).join('');
  return `HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n${written}0\r\n\r\n`;
}
