import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { createServer as createRawTlsServer } from 'node:tls';
import { afterEach, expect, test } from 'vitest';
import { BufferSink, exchange } from './http-exchange.ts';
import { type EntryPool, HttpPool } from './http-pool.ts';

const ending: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ending.splice(0).reverse()) await end();
});

const file = (name: string) => readFileSync(new URL(`../../../test/fixtures/tls/${name}`, import.meta.url), 'utf8');
const certificate = { key: file('key.pem'), cert: file('cert.pem') };

/** Until the end of the test. */
function trustAnyCertificate(): void {
  process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';
  ending.push(() => delete process.env.NODE_TLS_REJECT_UNAUTHORIZED);
}

function newPool(): HttpPool {
  const pool = new HttpPool();
  ending.push(() => pool.destroy());
  return pool;
}

/** Answers with the number of the connection that a request came on. */
async function countingServer(): Promise<string> {
  const numbers = new Map<Socket, number>();
  const server = createHttpServer((request, response) => {
    request.resume();
    const number = numbers.get(request.socket) ?? numbers.size + 1;
    numbers.set(request.socket, number);
    request.on('end', () => setTimeout(() => response.end(String(number)), request.url === '/slow' ? 50 : 0));
  });
  ending.push(() => {
    server.closeAllConnections();
    server.close();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function rawServer(onSocket: (socket: Socket) => void): Promise<string> {
  const server = createServer((socket) => {
    ending.push(() => socket.destroy());
    onSocket(socket.on('error', () => {}));
  });
  ending.push(() => server.close());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function post(pool: EntryPool, url: string, headers: Record<string, string> = {}): Promise<string> {
  const sink = new BufferSink(1_000);
  const request = { url: new URL(url), method: 'POST' as const, headers, body: Buffer.from('{}') };
  const response = await exchange(pool, request, () => sink);
  await response.ended;
  return sink.bytes.toString();
}

const answer = (text: string) => `HTTP/1.1 200 OK\r\ncontent-length: ${text.length}\r\n\r\n${text}`;

test('entries and credentials do not share connections, even to the same origin', async () => {
  const origin = await countingServer();
  const pool = newPool();
  const [a, b] = [{ id: 'a' }, { id: 'b' }];
  const calls: [object, string | undefined][] = [
    [a, undefined],
    [b, undefined],
    [a, 'Bearer one'],
    [a, 'Bearer two'],
    [b, 'Bearer one'],
  ];
  const send = ([entry, authorization]: (typeof calls)[number]) =>
    post(pool.entry(entry), origin, authorization === undefined ? {} : { authorization });
  const first: string[] = [];
  for (const one of calls) first.push(await send(one));
  const again: string[] = [];
  for (const one of calls) again.push(await send(one));
  expect([first, again]).toEqual([
    ['1', '2', '3', '4', '5'],
    ['1', '2', '3', '4', '5'],
  ]);
});

test('entries and credentials do not share connections over TLS either', async () => {
  const sockets = new Set<unknown>();
  const server = createTlsServer(certificate, (request, response) => {
    sockets.add(request.socket);
    request.resume().on('end', () => response.end('ok'));
  });
  ending.push(() => {
    server.closeAllConnections();
    server.close();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const pool = newPool();
  trustAnyCertificate();
  const [a, b] = [{}, {}];
  const counts: number[] = [];
  for (const [entry, authorization] of [
    [a, 'Bearer one'],
    [a, 'Bearer one'],
    [b, 'Bearer one'],
    [a, 'Bearer two'],
  ] as const) {
    await post(pool.entry(entry), url, { authorization });
    // undici takes a connection as free in a later turn.
    await sleep(5);
    counts.push(sockets.size);
  }
  pool.entry(a).retire();
  await post(pool.entry(a), url, { authorization: 'Bearer two' });
  expect([...counts, sockets.size]).toEqual([1, 1, 2, 3, 4]);
});

test('bytes on an idle connection close it, and are not taken for the next answer', async () => {
  const sockets: Socket[] = [];
  const closed = Promise.withResolvers<void>();
  const origin = await rawServer((socket) => {
    const number = sockets.push(socket);
    socket.on('close', () => closed.resolve());
    socket.on('data', () => socket.write(answer(`right ${number}`)));
  });
  const pool = newPool().entry({});
  const first = await post(pool, origin);
  sockets[0]?.write(answer('late'));
  await closed.promise;
  expect([first, await post(pool, origin), await post(pool, origin)]).toEqual(['right 1', 'right 2', 'right 2']);
});

test('a connection that its server closed is not used again', async () => {
  let closed = Promise.withResolvers<void>();
  const origin = await rawServer((socket) => {
    socket.on('data', () => {
      socket.write(answer('once'));
      setTimeout(() => socket.end(), 5);
    });
    // It has ended on both sides.
    socket.on('close', () => closed.resolve());
  });
  const pool = newPool().entry({});
  const answers: string[] = [];
  for (let call = 0; call < 5; call += 1) {
    answers.push(await post(pool, origin));
    await closed.promise;
    closed = Promise.withResolvers();
  }
  expect(answers).toEqual(Array.from({ length: 5 }, () => 'once'));
});

test('retired connections are not reused; running requests finish, and other entries keep theirs', async () => {
  const origin = await countingServer();
  const pool = newPool();
  const [entry, other] = [pool.entry({}), pool.entry({})];
  const idle = await post(entry, origin);
  const others = await post(other, origin);
  const running = post(entry, `${origin}/slow`);
  const beside = await post(entry, origin);
  entry.retire();
  const after = await post(entry, origin);
  const ended = await running;
  const later = await post(entry, origin);
  expect({ idle, others, ended, beside, after, later, kept: await post(other, origin) }).toEqual({
    idle: '1',
    others: '2',
    ended: '1',
    beside: '3',
    after: '4',
    later: '4',
    kept: '2',
  });
});

test('the number of interim responses is limited over TLS too', async () => {
  const interim = 'HTTP/1.1 103 Early Hints\r\n\r\n';
  const server = createRawTlsServer(certificate, (socket) => {
    socket.on('error', () => {});
    socket.on('data', (chunk) => {
      const heads = chunk.toString().includes('/few') ? 16 : 17;
      socket.write(`${interim.repeat(heads)}${answer('done')}`);
    });
    ending.push(() => socket.destroy());
  });
  ending.push(() => server.close());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
  trustAnyCertificate();
  const pool = newPool().entry({});
  expect(await post(pool, `${url}/few`)).toBe('done');
  await expect(post(pool, `${url}/many`)).rejects.toMatchObject({ kind: 'bad_answer' });
});
