import { afterAll, expect, test } from 'vitest';
import { http, textOf, until, World } from '../fixtures/connect.ts';
import { HttpFixture, modernHttp, type Reply } from '../fixtures/servers/http-server.ts';

const world = new World();
afterAll(() => world.close());

const serve = async (handler: ConstructorParameters<typeof HttpFixture>[0]) =>
  world.keep(await new HttpFixture(handler).listen());
const call = (name = 'echo', args: object = { a: 1 }) => ({ method: 'tools/call', params: { name, arguments: args } });
const form = { elicitation: { form: async () => ({ action: 'accept', content: { ok: true } }) } };

test('[wire:META] each 2026 request carries version, capabilities and name, in _meta and in headers', async () => {
  const server = await serve(modernHttp());
  const upstream = await world.connect(http(server.url), form);
  await upstream.request(call('écho'), { meta: { traceparent: '00-1-2-03' } });
  const [seen] = server.of('tools/call');
  expect({
    era: upstream.era,
    info: upstream.serverInfo,
    meta: seen?.message?.params?._meta,
    headers: seen?.headers,
  }).toMatchObject({
    era: '2026',
    info: { name: 'fixture', version: '1.0.0' },
    meta: {
      traceparent: '00-1-2-03',
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } },
      'io.modelcontextprotocol/clientInfo': { name: 'bindery-test', version: '0.0.1' },
    },
    headers: { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': '=?base64?w6ljaG8=?=' },
  });
  expect(server.methods).toEqual(['server/discover', 'tools/call']);
});

test('[wire:RAW] raw bytes of 2026 go out with the headers that mirror them', async () => {
  const server = await serve(modernHttp());
  const upstream = await world.connect(http(server.url));
  const bytes = Buffer.from('{"jsonrpc":"2.0","id":"x","method":"tools/call","params":{"name":"echo","_meta":{}}}');
  await upstream.requestRaw({
    bytes,
    id: 'x',
    method: 'tools/call',
    name: 'echo',
    paramHeaders: { 'Mcp-Param-Region': 'eu' },
  });
  const [seen] = server.of('tools/call');
  expect([seen?.body, seen?.headers['mcp-name'], seen?.headers['mcp-param-region']]).toEqual([
    bytes.toString(),
    'echo',
    'eu',
  ]);
});

test('[wire:INPUT] input_required is answered by repeating the call under a new id', async () => {
  const server = await serve(
    modernHttp((reply) => {
      const { message } = reply.seen;
      if (message?.method !== 'tools/call') return false;
      const { inputResponses, requestState } = message.params ?? {};
      if (requestState === 'two')
        reply.result({ resultType: 'complete', content: [{ type: 'text', text: JSON.stringify(inputResponses) }] });
      else if (requestState === 'one')
        reply.result({
          resultType: 'input_required',
          requestState: 'two',
          inputRequests: { where: { method: 'roots/list' } },
        });
      else {
        const ask = {
          method: 'elicitation/create',
          params: { message: 'Sure?', requestedSchema: { type: 'object', properties: {} } },
        };
        reply.result({ resultType: 'input_required', requestState: 'one', inputRequests: { sure: ask } });
      }
      return true;
    }),
  );
  const upstream = await world.connect(http(server.url), {
    ...form,
    roots: async () => ({ roots: [{ uri: 'file:///a' }] }),
  });
  expect(textOf(await upstream.request(call()))).toBe('{"where":{"roots":[{"uri":"file:///a"}]}}');
  const ids = server.of('tools/call').map(({ message }) => message?.id);
  expect([ids.length, new Set(ids).size]).toEqual([3, 3]);
  expect(server.of('tools/call').map(({ message }) => message?.params?.arguments)).toEqual(Array(3).fill({ a: 1 }));
  expect(await upstream.request(call(), { answerInput: false })).toMatchObject({
    resultType: 'input_required',
    requestState: 'one',
  });
});

test('[wire:INPUT] a server that asks without end, or for what nobody can answer, fails the call', async () => {
  const ask = (method: string) => ({
    resultType: 'input_required',
    inputRequests: { q: { method, params: {} } },
    requestState: 's',
  });
  const server = await serve(
    modernHttp((reply) => {
      const { message } = reply.seen;
      if (message?.method !== 'tools/call') return false;
      reply.result(ask(message.params?.name ?? ''));
      return true;
    }),
  );
  const upstream = await world.connect(http(server.url), form);
  await expect(upstream.request(call('elicitation/create'))).rejects.toThrow('still asks for input after 10 rounds');
  await expect(upstream.request(call('sampling/createMessage'))).rejects.toThrow(
    'asks for sampling/createMessage, which nobody here can answer',
  );
});

test('[wire:MIRROR] a changed header annotation is learned from a new list, and the call is sent again', async () => {
  let header = 'Region';
  const tools = () => [
    {
      name: 'deploy',
      inputSchema: { type: 'object', properties: { region: { type: 'string', 'x-mcp-header': header } } },
    },
  ];
  const server = await serve(
    modernHttp((reply) => {
      const { message, headers } = reply.seen;
      if (message?.method === 'tools/list') reply.result({ resultType: 'complete', tools: tools() });
      else if (message?.method === 'tools/call' && headers[`mcp-param-${header.toLowerCase()}`] !== 'eu')
        reply.error(-32020, 'Header mismatch', 400);
      else return false;
      return true;
    }),
  );
  const upstream = await world.connect(http(server.url));
  const deploy = call('deploy', { region: 'eu' });
  expect(textOf(await upstream.request(deploy))).toBe('{"region":"eu"}');
  header = 'Place';
  expect(textOf(await upstream.request(deploy))).toBe('{"region":"eu"}');
  expect(server.methods).toEqual([
    'server/discover',
    'tools/call',
    'tools/list',
    'tools/call',
    'tools/call',
    'tools/list',
    'tools/call',
  ]);
});

test('[wire:CANCEL] cancelling a 2026 call closes its stream and sends nothing', async () => {
  let left = false;
  const server = await serve(
    modernHttp((reply) => {
      if (reply.seen.message?.method !== 'tools/call') return false;
      reply.stream();
      reply.response.on('close', () => {
        left = true;
      });
      return true;
    }),
  );
  const upstream = await world.connect(http(server.url));
  await expect(upstream.request(call(), { timeoutMs: 50 })).rejects.toMatchObject({ kind: 'timed_out' });
  await until(() => left);
  expect(server.methods).toEqual(['server/discover', 'tools/call']);
});

test('[wire:CANCEL] a broken stream of 2026 loses the request', async () => {
  const server = await serve(
    modernHttp((reply) => {
      if (reply.seen.message?.method !== 'tools/call') return false;
      const stream = reply.stream();
      stream.raw('id: 1\ndata:\n\n');
      stream.end();
      return true;
    }),
  );
  const upstream = await world.connect(http(server.url));
  await expect(upstream.request(call())).rejects.toMatchObject({ kind: 'lost' });
  expect(server.methods).toEqual(['server/discover', 'tools/call']);
});

test('[wire:LISTEN] a subscription brings notifications, is opened again after a loss, and ends when closed', async () => {
  const streams: { filter: unknown; stream: ReturnType<Reply['stream']>; closed: boolean }[] = [];
  const server = await serve(
    modernHttp((reply) => {
      const { message } = reply.seen;
      if (message?.method !== 'subscriptions/listen') return false;
      const entry = { filter: message.params?.notifications, stream: reply.stream(), closed: false };
      reply.response.on('close', () => {
        entry.closed = true;
      });
      streams.push(entry);
      entry.stream.raw(': keep-alive\n\n');
      entry.stream.send({ method: 'notifications/subscriptions/acknowledged', params: {} });
      return true;
    }),
  );
  const upstream = await world.connect(http(server.url));
  const told: string[] = [];
  upstream.on('notification', ({ method }) => told.push(method));
  const subscription = upstream.listen({ toolsListChanged: true });
  await until(() => streams.length === 1);
  streams[0]?.stream.send({ method: 'notifications/tools/list_changed' });
  streams[0]?.stream.end();
  await until(() => streams.length === 2);
  streams[1]?.stream.send({ method: 'notifications/tools/list_changed' });
  await until(() => told.length === 2);
  subscription.close();
  await until(() => streams[1]?.closed === true);
  expect([streams.map(({ filter }) => filter), told]).toEqual([
    [{ toolsListChanged: true }, { toolsListChanged: true }],
    ['notifications/tools/list_changed', 'notifications/tools/list_changed'],
  ]);
});

test('[wire:ERA] a remembered era is tried first and corrected when the server has changed', async () => {
  const server = await serve(modernHttp());
  const upstream = await world.connect(http(server.url), {}, '2025');
  expect([upstream.era, server.methods]).toEqual(['2026', ['initialize', 'server/discover']]);
});
