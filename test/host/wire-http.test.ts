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

test('[wire:VERSION] the negotiated version and the session stand on every request after the handshake, not on it', async () => {
  const server = await serve(legacyHttp(undefined, { version: '2025-06-18' }));
  const upstream = await world.connect(http(server.url));
  await upstream.request(call);
  expect(
    ['server/discover', 'initialize', 'notifications/initialized', 'tools/call'].map((method) => {
      const { headers } = server.of(method)[0] ?? {};
      return [method, headers?.['mcp-protocol-version'], headers?.['mcp-session-id']];
    }),
  ).toEqual([
    ['server/discover', '2026-07-28', undefined],
    ['initialize', undefined, undefined],
    ['notifications/initialized', '2025-06-18', 'session-1'],
    ['tools/call', '2025-06-18', 'session-1'],
  ]);
  expect([upstream.protocolVersion, upstream.sessionBound]).toEqual(['2025-06-18', true]);
});

test('[wire:SESSION] a session that the server forgot is begun anew once, and the requests are sent again', async () => {
  let valid = 'session-1';
  const server = await serve(
    legacyHttp((reply) => {
      const session = reply.seen.headers['mcp-session-id'];
      if (session === undefined || session === valid) return false;
      reply.json({}, 404);
      return true;
    }),
  );
  const upstream = await world.connect(http(server.url));
  valid = 'session-2';
  const results = await Promise.all([upstream.request(call), upstream.request(call), upstream.request(call)]);
  expect(results.map(textOf)).toEqual(Array(3).fill('{"a":1}'));
  expect(server.of('initialize').length).toBe(2);
  valid = 'none any more';
  await expect(upstream.request(call)).rejects.toMatchObject({ kind: 'lost' });
  expect(upstream.closed).toBe(true);
});

test('[wire:SESSION] closing ends the session', async () => {
  const server = await serve(legacyHttp());
  const upstream = await world.connect(http(server.url));
  await upstream.close();
  const last = server.seen.at(-1);
  expect([last?.verb, last?.headers['mcp-session-id']]).toEqual(['DELETE', 'session-1']);
});

test('[wire:STREAM] the standing stream brings notifications and questions, and is taken up where it broke', async () => {
  const opened: (string | undefined)[] = [];
  let current: ReturnType<Reply['stream']> | undefined;
  const server = await serve(
    legacyHttp((reply) => {
      if (reply.seen.verb !== 'GET') return false;
      opened.push(reply.seen.headers['last-event-id'] as string | undefined);
      current = reply.stream();
      current.raw('retry: 10\n\n');
      return true;
    }),
  );
  const upstream = await world.connect(http(server.url), { roots: async () => ({ roots: [] }) });
  const told: string[] = [];
  upstream.on('notification', ({ method }) => told.push(method));
  await until(() => current !== undefined);
  current?.send({ method: 'notifications/tools/list_changed' }, 'e1');
  current?.send({ id: 5, method: 'roots/list' }, 'e2');
  await until(() => server.methods.includes('answer'));
  current?.end();
  await until(() => opened.length === 2);
  current?.send({ method: 'notifications/prompts/list_changed' });
  await until(() => told.length === 2);
  expect({ opened, told, answer: server.seen.find(({ message }) => message?.id === 5)?.message }).toEqual({
    opened: [undefined, 'e2'],
    told: ['notifications/tools/list_changed', 'notifications/prompts/list_changed'],
    answer: { jsonrpc: '2.0', id: 5, result: { roots: [] } },
  });
});

test('[wire:RESUME] an answer whose stream breaks off is fetched with the last event id', async () => {
  let id: unknown;
  const server = await serve(
    legacyHttp((reply) => {
      const { verb, message, headers } = reply.seen;
      if (message?.method === 'tools/call') {
        id = message.id;
        const stream = reply.stream();
        stream.raw('id: p1\nretry: 20\ndata:\n\n');
        stream.end();
        return true;
      }
      if (verb !== 'GET' || headers['last-event-id'] === undefined) return false;
      const stream = reply.stream();
      stream.send({ id, result: { content: [{ type: 'text', text: `after ${headers['last-event-id']}` }] } });
      return true;
    }),
  );
  const upstream = await world.connect(http(server.url));
  expect(textOf(await upstream.request(call))).toBe('after p1');
});

test('[wire:RESUME] an answer that breaks off and cannot be fetched fails', async () => {
  const server = await serve(legacyHttp(onCall((reply) => reply.stream().end())));
  const upstream = await world.connect(http(server.url));
  await expect(upstream.request(call)).rejects.toMatchObject({
    kind: 'lost',
    message: 'the stream ended before the answer came',
  });
});

test('[wire:QUESTIONS] questions and progress on the stream of a call belong to that call', async () => {
  const server = await serve(
    legacyHttp((reply) => {
      const { message } = reply.seen;
      if (message?.method === undefined && message?.id === 'q') {
        waiting?.send({ id: callId, result: { content: [{ type: 'text', text: JSON.stringify(message.result) }] } });
        waiting?.end();
      }
      if (message?.method !== 'tools/call') return false;
      callId = message.id;
      waiting = reply.stream();
      waiting.send({
        method: 'notifications/progress',
        params: { progressToken: message.params?._meta?.progressToken, progress: 1 },
      });
      waiting.send({ method: 'notifications/message', params: { level: 'info', data: 'hm' } });
      waiting.send({ id: 'q', method: 'elicitation/create', params: { message: 'Well?' } });
      return true;
    }),
  );
  let waiting: ReturnType<Reply['stream']> | undefined;
  let callId: unknown;
  const upstream = await world.connect(http(server.url));
  const seen: unknown[] = [];
  const result = await upstream.request(call, {
    onProgress: (progress) => seen.push(progress),
    onNotification: ({ method }) => seen.push(method),
    onServerRequest: async ({ params }) => ({ action: 'accept', content: { asked: params?.message } }),
  });
  expect([seen, textOf(result)]).toEqual([
    [{ progress: 1 }, 'notifications/message'],
    '{"action":"accept","content":{"asked":"Well?"}}',
  ]);
});

test('[wire:RAW] raw bytes pass both ways, from JSON and from a stream', async () => {
  const answers = [
    '{ "result" : {"content": [ ]} , "id" : 77, "jsonrpc":"2.0" }',
    '{"jsonrpc":"2.0","id":78,"error":{"code":-1,"message":"é"}}',
  ];
  const server = await serve(
    legacyHttp(
      onCall((reply) => {
        if (reply.seen.message?.id === 77)
          reply.response.writeHead(200, { 'content-type': 'application/json' }).end(answers[0]);
        else {
          const stream = reply.stream();
          stream.raw(
            ': hello\n\ndata: {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"t","progress":1}}\n\n',
          );
          stream.raw(`data: ${answers[1]}\n\n`);
          stream.end();
        }
      }),
    ),
  );
  const upstream = await world.connect(http(server.url));
  const request = (id: number) =>
    Buffer.from(`{"jsonrpc":"2.0", "id":${id},  "method":"tools/call","params":{"name":"x"}}`);
  const progress: string[] = [];
  const first = await upstream.requestRaw({ bytes: request(77), id: 77, method: 'tools/call' });
  const second = await upstream.requestRaw(
    { bytes: request(78), id: 78, method: 'tools/call', progressToken: 't' },
    { onProgress: (bytes) => progress.push(Buffer.from(bytes).toString()) },
  );
  expect({
    sent: server.of('tools/call').map(({ body }) => body),
    got: [first, second].map(({ bytes }) => Buffer.from(bytes).toString()),
    kinds: [first.envelope.kind, second.envelope.kind],
    progress,
  }).toEqual({
    sent: [77, 78].map((id) => request(id).toString()),
    got: answers,
    kinds: ['result', 'error'],
    progress: ['{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"t","progress":1}}'],
  });
});

test('[wire:CANCEL] a cancelled call of 2025 tells the server and leaves the stream', async () => {
  let left = false;
  const server = await serve(
    legacyHttp(
      onCall((reply) => {
        reply.stream();
        reply.response.on('close', () => {
          left = true;
        });
      }),
    ),
  );
  const upstream = await world.connect(http(server.url));
  const controller = new AbortController();
  const running = upstream.request(call, { signal: controller.signal });
  await until(() => server.of('tools/call').length === 1);
  controller.abort();
  await expect(running).rejects.toMatchObject({ kind: 'cancelled' });
  await until(() => left && server.of('notifications/cancelled').length === 1);
  expect(server.of('notifications/cancelled')[0]?.message?.params?.requestId).toBe(
    server.of('tools/call')[0]?.message?.id,
  );
});

test('[wire:STREAM] a server that keeps the stream of an answered call open does not keep the call', async () => {
  let left = false;
  const server = await serve(
    legacyHttp(
      onCall((reply) => {
        reply.stream().send({ id: reply.seen.message?.id, result: { content: [] } });
        reply.response.on('close', () => {
          left = true;
        });
      }),
    ),
  );
  const upstream = await world.connect(http(server.url));
  expect(await upstream.request(call)).toEqual({ content: [] });
  await until(() => left);
});

test('[wire:SESSION] requests that come while the session is begun anew wait for it', async () => {
  let valid = 'session-1';
  let initialize: Reply | undefined;
  const inner = legacyHttp();
  const server = await serve((reply) => {
    const session = reply.seen.headers['mcp-session-id'];
    const second = reply.seen.message?.method === 'initialize' && valid === 'session-2';
    if (session !== undefined && session !== valid) reply.json({}, 404);
    else if (second) initialize = reply;
    else inner(reply);
  });
  const upstream = await world.connect(http(server.url));
  valid = 'session-2';
  const first = upstream.request(call);
  await until(() => initialize !== undefined);
  const second = upstream.request(call);
  if (initialize !== undefined) inner(initialize);
  expect([textOf(await first), textOf(await second)]).toEqual(['{"a":1}', '{"a":1}']);
  expect(server.of('tools/call').map(({ headers }) => headers['mcp-session-id'])).toEqual([
    'session-1',
    'session-2',
    'session-2',
  ]);
});

test('[wire:PAGEFIRST] a call that needs a page first is made again when the person has been there', async () => {
  let stream: ReturnType<Reply['stream']> | undefined;
  let allowed = false;
  const page = { mode: 'url', elicitationId: 'e1', url: 'https://sign.example/', message: 'Sign first' };
  const server = await serve(
    legacyHttp((reply) => {
      if (reply.seen.verb === 'GET') stream = reply.stream();
      else if (reply.seen.message?.method === 'tools/call' && !allowed)
        reply.error(-32042, 'A page first', 200, { elicitations: [page] });
      else return false;
      return true;
    }),
  );
  const shown: unknown[] = [];
  let action = 'accept';
  const elicitation = {
    url: async ({ params }: { params: object }) => {
      shown.push(params);
      return { action };
    },
  };
  const upstream = await world.connect(http(server.url), { elicitation });
  const call = { method: 'tools/call', params: { name: 'echo', arguments: { a: 1 } } };
  const running = upstream.request(call);
  await until(() => shown.length === 1);
  expect(server.of('tools/call').length).toBe(1);
  allowed = true;
  stream?.send({ method: 'notifications/elicitation/complete', params: { elicitationId: 'e1' } });
  expect([textOf(await running), shown]).toEqual(['{"a":1}', [{ ...page, message: '[server http asks] Sign first' }]]);
  allowed = false;
  action = 'decline';
  await expect(upstream.request(call)).rejects.toMatchObject({ rpc: { code: -32042 } });
  action = 'accept';
  const stopping = new AbortController();
  const cancelled = upstream.request(call, { signal: stopping.signal });
  await until(() => shown.length === 3);
  stopping.abort();
  await expect(cancelled).rejects.toThrow();
  const without = await world.connect(http(server.url));
  await expect(without.request(call)).rejects.toMatchObject({ rpc: { code: -32042 } });
});
