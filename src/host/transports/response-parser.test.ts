import fc from 'fast-check';
import { expect, test } from 'vitest';
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
