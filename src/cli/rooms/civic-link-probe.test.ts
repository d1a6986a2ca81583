import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { LoopbackDns } from '../../../test/support/loopback-dns.ts';
import { visitLink } from '../../civic/lifecycle/visit-link.ts';
import { createPublicAgent } from '../../host/transports/public-agent.ts';
import { networkLinkProbe } from './civic-link-probe.ts';

/** A server that answers each request with the bytes of a test. */
let answerWith: (socket: Socket, request: string) => void;
let port: number;
let server: ReturnType<typeof createServer>;
let requests: string[];
beforeEach(async () => {
  requests = [];
  server = createServer((socket) => {
    socket.on('error', () => {});
    socket.on('data', (bytes) => {
      requests.push(String(bytes).split('\r\n', 1)[0] as string);
      answerWith(socket, String(bytes));
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  port = (server.address() as AddressInfo).port;
});
afterEach(() => server.close());

const dns = () => new LoopbackDns({ 'cited.example': [['93.184.215.14']], 'inside.example': [['10.0.0.7']] });
const probeOf = (known = dns()) => networkLinkProbe(createPublicAgent({ lookup: known.lookup, answerTimeoutMs: 500 }));
const cited = () => `http://cited.example:${port}/page`;
const OK = 'HTTP/1.1 200 OK\r\n';

test.each([
  ['a whole answer', (socket: Socket) => socket.write(`${OK}content-length: 2\r\n\r\nok`), 200],
  ['an empty answer', (socket: Socket) => socket.write('HTTP/1.1 204 No Content\r\n\r\n'), 204],
  ['a large answer', (socket: Socket) => socket.write(`${OK}content-length: 3000000\r\n\r\n${'x'.repeat(3e6)}`), 200],
  ['an endless answer', (socket: Socket) => socket.write(`${OK}transfer-encoding: chunked\r\n\r\n5\r\nhello\r\n`), 200],
  ['an answer that breaks off', (socket: Socket) => socket.end(`${OK}content-length: 100\r\n\r\nx`), 200],
  ['a bad chunk', (socket: Socket) => socket.write(`${OK}transfer-encoding: chunked\r\n\r\nzz\r\n`), 200],
  ['no page', (socket: Socket) => socket.write('HTTP/1.1 404 Not Found\r\ncontent-length: 4\r\n\r\ngone'), 404],
  ['nonsense', (socket: Socket) => socket.write('\u0000\u0001 nonsense\r\n\r\n'), undefined],
  ['an endless head', (socket: Socket) => socket.write(`${OK}x: ${'x'.repeat(1e6)}`), undefined],
  ['an upgrade', (socket: Socket) => socket.write('HTTP/1.1 101 Switching Protocols\r\n\r\n'), undefined],
  ['a closed connection', (socket: Socket) => socket.destroy(), undefined],
  ['a reset', (socket: Socket) => socket.resetAndDestroy(), undefined],
  ['silence', () => {}, undefined],
])('the process survives %s', async (_name, answer, status) => {
  answerWith = answer;
  const expected = status === undefined ? { kind: 'unreachable' } : { kind: 'answer', status };
  const signal = new AbortController().signal;
  expect(await probeOf().request('GET', cited(), signal)).toEqual(expected);
  // What goes wrong behind the head comes later; an error that nobody takes fails the run.
  await new Promise((resolve) => setTimeout(resolve, 50));
});

test('the process survives an answer to HEAD, with or without a signal', async () => {
  answerWith = (socket) => socket.write(`${OK}content-length: 2\r\n\r\n`);
  const probe = probeOf();
  const end = new AbortController();
  expect([await probe.request('HEAD', cited()), await probe.request('HEAD', cited(), end.signal)]).toEqual([
    { kind: 'answer', status: 200 },
    { kind: 'answer', status: 200 },
  ]);
  end.abort();
  await new Promise((resolve) => setTimeout(resolve, 50));
});

test('a visit to a host that never answers is given up at the signal', async () => {
  const end = new AbortController();
  answerWith = () => end.abort();
  expect(await probeOf().request('HEAD', cited(), end.signal)).toEqual({ kind: 'unreachable' });
});

test('a host that does not exist is no such host', async () => {
  expect(await probeOf().request('HEAD', 'http://none.example/')).toEqual({ kind: 'no_such_host' });
});

test('no link reaches the server’s own network, in any spelling', async () => {
  answerWith = (socket) => socket.write(`${OK}content-length: 0\r\n\r\n`);
  const hosts = [
    '127.0.0.1',
    '127.1',
    '0x7f.0.0.1',
    '0177.0.0.1',
    '2130706433',
    'localhost',
    'localhost.',
    'a.LOCALHOST',
    '[::1]',
    '[::ffff:127.0.0.1]',
    '0.0.0.0',
    '１２７.０.０.１',
    'inside.example',
  ];
  const probe = probeOf();
  const verdicts = await Promise.all(hosts.map((host) => visitLink(probe, `http://${host}:${port}/`)));
  expect([verdicts, requests]).toEqual([hosts.map(() => 'inconclusive'), []]);
});

test('a redirect into that network is not followed', async () => {
  const places = () => [`http://127.0.0.1:${port}/`, `http://inside.example:${port}/`, `//[::1]:${port}/`];
  for (const place of places()) {
    answerWith = (socket) => socket.write(`HTTP/1.1 302 Found\r\nlocation: ${place}\r\ncontent-length: 0\r\n\r\n`);
    expect(await visitLink(probeOf(), cited())).toBe('inconclusive');
  }
  expect(requests).toEqual(places().map(() => 'HEAD /page HTTP/1.1'));
});
