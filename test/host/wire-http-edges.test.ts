import { gzipSync } from 'node:zlib';
import { afterAll, expect, test } from 'vitest';
import { http, textOf, until, World } from '../fixtures/connect.ts';
import { HttpFixture, legacyHttp, type Reply } from '../fixtures/servers/http-server.ts';

const world = new World();
afterAll(() => world.close());

const serve = async (handler: ConstructorParameters<typeof HttpFixture>[0]) =>
  world.keep(await new HttpFixture(handler).listen());
const call = { method: 'tools/call', params: { name: 'echo', arguments: { a: 1 } } };
const onCall = (handle: (reply: Reply) => void) => (reply: Reply) => {
  if (reply.seen.message?.method !== 'tools/call') return false;
  handle(reply);
  return true;
};

test.each([
  ['HTTP 500', (reply: Reply) => reply.json({}, 500), { kind: 'http', status: 500 }],
  [
    'HTTP 429',
    (reply: Reply) => reply.json({}, 429, { 'retry-after': '7' }),
    { kind: 'rate_limited', retryAfterMs: 7000 },
  ],
  ['HTTP 403', (reply: Reply) => reply.json({}, 403), { kind: 'auth', status: 403 }],
  ['HTTP 202', (reply: Reply) => void reply.response.writeHead(202).end(), { kind: 'bad_answer' }],
  [
    'HTML',
    (reply: Reply) => void reply.response.writeHead(200, { 'content-type': 'text/html' }).end('<p>'),
    { kind: 'bad_answer' },
  ],
  [
    'broken JSON',
    (reply: Reply) => void reply.response.writeHead(200, { 'content-type': 'application/json' }).end('{"a'),
    { kind: 'bad_answer' },
  ],
  [
    'compressed nonsense',
    (reply: Reply) => void reply.response.writeHead(200, { 'content-type': 'application/json' }).end(gzipSync('{}')),
    { kind: 'bad_answer' },
  ],
  [
    'a JSON-RPC error in HTTP 400',
    (reply: Reply) => reply.error(-32602, 'no', 400, { x: 1 }),
    { kind: 'rpc', rpc: { code: -32602, message: 'no', data: { x: 1 } } },
  ],
  [
    'an error without id',
    (reply: Reply) => reply.json({ jsonrpc: '2.0', id: null, error: { code: -32600, message: 'hm' } }, 400),
    { kind: 'rpc', rpc: { code: -32600, message: 'hm' } },
  ],
  [
    'a result that is no object',
    (reply: Reply) => reply.json({ jsonrpc: '2.0', id: reply.seen.message?.id, result: 7 }),
    { kind: 'bad_answer' },
  ],
  ['a broken connection', (reply: Reply) => void reply.response.destroy(), { kind: 'lost' }],
])('[wire:ERRORS] %s', async (_what, handle, expected) => {
  const server = await serve(legacyHttp(onCall(handle)));
  const upstream = await world.connect(http(server.url));
  await expect(upstream.request(call)).rejects.toMatchObject(expected);
  expect((await upstream.request({ method: 'tools/list' })).tools).toHaveLength(1);
});

test('[wire:ERRORS] what of an error page goes into the message is short and masked', async () => {
  const server = await serve(
    legacyHttp(onCall((reply) => reply.json({ token: 'hunter2', text: 'x'.repeat(2000) }, 500))),
  );
  const upstream = await world.connect(http(server.url));
  const { message } = await upstream.request(call).then(
    () => new Error('it worked'),
    (error: Error) => error,
  );
  expect([message.slice(0, 54), message.length]).toEqual([
    'the server answered HTTP 500: {"token":"***","text":"x',
    530,
  ]);
});

test('[wire:REDIRECT] redirects are followed within the origin, with method and body', async () => {
  const server = await serve(
    legacyHttp((reply) => {
      if (reply.seen.path !== '/mcp') return false;
      reply.response.writeHead(308, { location: '/elsewhere' }).end();
      return true;
    }),
  );
  const upstream = await world.connect(http(server.url));
  expect(textOf(await upstream.request(call))).toBe('{"a":1}');
});

test('[wire:SSE] a server of 2024 is reached over HTTP+SSE, and its endpoint must be of the same origin', async () => {
  let stream: ReturnType<Reply['stream']> | undefined;
  let endpoint = '/messages?session=1';
  const legacy = legacyHttp(undefined, { version: '2024-11-05' });
  const server = await serve((reply) => {
    const { verb, path, message } = reply.seen;
    if (verb === 'GET') {
      stream = reply.stream();
      stream.raw(`event: endpoint\ndata: ${endpoint}\n\n`);
    } else if (!path.startsWith('/messages')) reply.json({}, 405);
    else {
      reply.response.writeHead(202).end();
      const respond = { ...reply, result: (result: object) => stream?.send({ id: message?.id, result }) };
      if (message?.id !== undefined) legacy(respond);
    }
  });
  const upstream = await world.connect(http(server.url));
  expect([upstream.transport, upstream.protocolVersion, textOf(await upstream.request(call))]).toEqual([
    'sse',
    '2024-11-05',
    '{"a":1}',
  ]);
  const direct = await world.connect(http(server.url, { transport: 'sse' }));
  expect(direct.transport).toBe('sse');
  const closed = new Promise((resolve) => direct.on('close', resolve));
  stream?.end();
  expect(await closed).toMatchObject({ kind: 'lost' });
  endpoint = 'http://127.0.0.1:1/steal';
  await expect(world.connect(http(server.url, { transport: 'sse' }))).rejects.toThrow(
    'names an endpoint at another origin',
  );
});

test('[wire:HEADERS] configured headers are sent with everything and win', async () => {
  const server = await serve(legacyHttp());
  const upstream = await world.connect(
    http(server.url, { headers: { Authorization: 'Bearer configured', 'X-Workspace': 'w' } }),
  );
  await upstream.close();
  expect(new Set(server.seen.map(({ headers }) => `${headers.authorization} ${headers['x-workspace']}`))).toEqual(
    new Set(['Bearer configured w']),
  );
});

test('[wire:HEADERS] credentials of the address are presented, and stand in no message', async () => {
  const server = await serve(
    legacyHttp((reply) => {
      if (reply.seen.message?.method === 'tools/call') reply.json({}, 500);
      return reply.seen.message?.method === 'tools/call';
    }),
  );
  const upstream = await world.connect(http(server.url.replace('http://', 'http://ada:p%40ss@')));
  await expect(upstream.request(call)).rejects.toThrow(/^the server answered HTTP 500: \{\}$/);
  expect(server.seen[0]?.headers.authorization).toBe(`Basic ${Buffer.from('ada:p@ss').toString('base64')}`);
});

test('[wire:SSE] an entry that asks for HTTP+SSE first gets what the server speaks now', async () => {
  const server = await serve(legacyHttp());
  const upstream = await world.connect(http(server.url, { transport: 'sse' }));
  expect([upstream.transport, textOf(await upstream.request(call))]).toEqual(['http', '{"a":1}']);
});

test('[wire:STARTUP] a server that never answers fails within the start-up time', async () => {
  const server = await serve(() => {});
  await expect(world.connect(http(server.url, { startupTimeoutMs: 200 }))).rejects.toMatchObject({
    kind: 'timed_out',
    message: 'the server did not start within 200 ms',
  });
});

test('[wire:STARTUP] nobody listening is a clear refusal', async () => {
  await expect(world.connect(http('http://127.0.0.1:1/mcp'))).rejects.toMatchObject({
    kind: 'refused',
    message: 'cannot reach http://127.0.0.1:1 (ECONNREFUSED)',
  });
});

test('[wire:CLOSE] a connection that waits for its call to end stops waiting when it is hurried', async () => {
  const server = await serve(legacyHttp(onCall(() => {})));
  const upstream = await world.connect(http(server.url));
  const outcome = upstream.request(call).catch((error: { kind: string }) => error.kind);
  await until(() => server.of('tools/call').length > 0);
  const hurry = new AbortController();
  const closing = upstream.closeWhenIdle(600_000, hurry.signal);
  hurry.abort();
  await closing;
  expect(await outcome).toBe('closed');
});

test('[wire:CLOSE] a server that was taken out may end its calls, and a host that closes does not wait for them', async () => {
  const replies: Reply[] = [];
  const server = await serve(legacyHttp(onCall((reply) => replies.push(reply))));
  const host = world.host();
  host.apply([http(server.url)]);
  const outcomes = [1, 2].map(() =>
    host.request('http', call).then(
      () => 'answered',
      (error: { kind: string }) => error.kind,
    ),
  );
  await until(() => replies.length === 2);
  host.apply([]);
  replies[0]?.result({ content: [] });
  const first = await outcomes[0];
  // Its call would be answered within the time that calls of a removed server have.
  setTimeout(() => replies[1]?.result({ content: [] }), 2_000);
  await host.close();
  expect([first, await outcomes[1]]).toEqual(['answered', 'closed']);
});

test.each([
  ['86401', 86_400_000],
  ['9'.repeat(64), 86_400_000],
  ['9'.repeat(65), undefined],
  ['soon', undefined],
  ['Thu, 01 Jan 1970 00:00:00 GMT', 0],
  ['Fri, 31 Dec 9999 23:59:59 GMT', 86_400_000],
])('[wire:ERRORS] Retry-After of %s', async (value, retryAfterMs) => {
  const server = await serve(legacyHttp(onCall((reply) => reply.json({}, 429, { 'retry-after': value }))));
  const upstream = await world.connect(http(server.url));
  const error = await upstream.request(call).catch((thrown: { retryAfterMs?: number }) => thrown);
  expect(error.retryAfterMs).toBe(retryAfterMs);
});
