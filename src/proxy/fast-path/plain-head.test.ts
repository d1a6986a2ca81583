import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { PROXY_LIMITS } from '../limits.ts';
import { readPlainHead } from './plain-head.ts';

const FIELDS = ['Host: a.example:1', 'content-type: application/json', 'Accept: a/b, c/d', 'Mcp-Session-Id: s.1'];
const post = (lines: readonly string[], body = '{}') => Buffer.from(`${lines.join('\r\n')}\r\n\r\n${body}`, 'latin1');
const plain = (...more: string[]) => ['POST /mcp HTTP/1.1', ...FIELDS, 'Content-Length: 2', ...more];

/** What Node makes of the same bytes: the request, or nothing where it refuses them. */
const node = createServer(async (request, response) => {
  const body: Buffer[] = [];
  for await (const chunk of request) body.push(chunk);
  const { method, url, headers } = request;
  response.end(JSON.stringify({ method, url, headers, body: Buffer.concat(body).toString('hex') }));
});
node.listen(0, '127.0.0.1');
await once(node, 'listening');
afterAll(() => {
  node.close();
  node.closeAllConnections();
});

async function readByNode(bytes: Buffer): Promise<unknown> {
  const socket = connect((node.address() as AddressInfo).port, '127.0.0.1');
  let text = '';
  socket.on('data', (chunk) => {
    text += chunk.toString('latin1');
  });
  socket.on('error', () => {});
  // What is not whole would be waited for: the end of the sender's half ends that.
  socket.end(bytes);
  await once(socket, 'close');
  const found = /^HTTP\/1\.1 200 .*?\r\n\r\n(\{.*\})/s.exec(text)?.[1];
  return found === undefined ? undefined : JSON.parse(found);
}

test('a plain head is read with its path, its fields in lower case and the length of its body', () => {
  const bytes = post(plain('X-Spaces:  a b\t'));
  expect(readPlainHead(bytes)).toEqual({
    url: '/mcp',
    headers: {
      host: 'a.example:1',
      'content-type': 'application/json',
      accept: 'a/b, c/d',
      'mcp-session-id': 's.1',
      'content-length': '2',
      'x-spaces': 'a b',
    },
    bodyLength: 2,
    bytes: bytes.subarray(0, -2),
  });
});

test.each([
  ['another method', ['GET /mcp HTTP/1.1', ...plain().slice(1)]],
  ['another path', ['POST /mcp?x=1 HTTP/1.1', ...plain().slice(1)]],
  ['a path with a host', ['POST http://a.example/mcp HTTP/1.1', ...plain().slice(1)]],
  ['another version', ['POST /mcp HTTP/1.0', ...plain().slice(1)]],
  ['no host', plain().filter((line) => !line.startsWith('Host'))],
  ['no length', plain().filter((line) => !line.startsWith('Content-Length'))],
  ['two lengths', plain('content-length: 2')],
  ['a length with a sign', [...plain().slice(0, -1), 'Content-Length: +2']],
  ['a length with a leading zero', [...plain().slice(0, -1), 'Content-Length: 02']],
  ['a list of lengths', [...plain().slice(0, -1), 'Content-Length: 2, 2']],
  ['chunks', plain('Transfer-Encoding: chunked')],
  ['an expectation', plain('Expect: 100-continue')],
  ['an upgrade', plain('Connection: upgrade', 'Upgrade: h2c')],
  ['a connection that is to be closed', plain('Connection: close')],
  ['a field twice', plain('Accept: x')],
  ['a space before the colon', plain('X-Odd : 1')],
  ['a folded field', plain('X-Odd: 1', ' 2')],
  ['an empty field', plain('X-Odd:')],
  ['a line feed alone', plain('X-Odd: 1\nTransfer-Encoding: chunked')],
  ['a carriage return alone', plain('X-Odd: 1\rX: 2')],
  ['a letter of another script', plain('X-Odd: \u00e9')],
  ['a control character', plain('X-Odd: \u0001')],
  ['an underscore in a name', plain('__proto__: 1')],
  ['a head that is too long', plain(`X-Odd: ${'x'.repeat(PROXY_LIMITS.plainHeadBytesMax)}`)],
])('a head with %s is not plain', (_, lines) => {
  expect(readPlainHead(post(lines))).toBeUndefined();
});

test('a head without its end is not plain', () => {
  expect(readPlainHead(post(plain()).subarray(0, -4))).toBeUndefined();
});

test('whatever is read as plain, Node reads the same', async () => {
  const strange = fc.constantFrom(
    ...[
      '\r',
      '\n',
      '\r\n',
      '\r\n ',
      ':',
      ' ',
      '\t',
      '\0',
      ',',
      ';',
      '\u00ff',
      '0',
      '-',
      'HTTP/1.1',
      '\r\nHost: b',
      '\r\n\r\n',
    ],
    ...[
      '\r\nTransfer-Encoding: chunked',
      '\r\nContent-Length: 3',
      '\r\nConnection: close',
      '\r\nX-Y: z',
      '/',
      '%2f',
      'a',
    ],
  );
  const edit = fc.record({ at: fc.nat(250), take: fc.nat(3), put: fc.oneof(strange, fc.string({ maxLength: 3 })) });
  let plainOnes = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(edit, { maxLength: 3 }), fc.boolean(), async (edits, inFields) => {
      const fields = inFields ? plain('X-Odd: 1') : plain();
      const bytes = edits.reduce((before, { at, take, put }) => {
        const start = at % before.length;
        return Buffer.concat([before.subarray(0, start), Buffer.from(put, 'latin1'), before.subarray(start + take)]);
      }, post(fields));
      const head = readPlainHead(bytes);
      if (!head || bytes.length !== head.bytes.length + head.bodyLength) return;
      plainOnes += 1;
      const { url, headers } = head;
      const body = bytes.subarray(head.bytes.length).toString('hex');
      expect(await readByNode(bytes)).toEqual({ method: 'POST', url, headers: { ...headers }, body });
    }),
    { numRuns: 4_000 },
  );
  expect(plainOnes).toBeGreaterThan(100);
});
