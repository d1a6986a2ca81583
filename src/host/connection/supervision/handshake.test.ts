import { expect, test } from 'vitest';
import type { JsonObject } from '../../../contract/json.ts';
import { type TransportKind, UpstreamError } from '../../../wire/upstream.ts';
import { type Script, ScriptedTransport } from '../testing/scripted-transport.ts';
import { type HandshakeOptions, performHandshake } from './handshake.ts';

const DISCOVERED = {
  supportedVersions: ['2026-07-28'],
  capabilities: { tools: {} },
  instructions: 'Use it.',
  _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'modern', version: '2' } },
};
const INITIALIZED = { protocolVersion: '2025-11-25', serverInfo: { name: 'legacy', version: '1' }, capabilities: {} };
const refused = { rpc: { code: -32601, message: 'Method not found' } };
const legacy: Script = ({ method }) => (method === 'initialize' ? INITIALIZED : refused);

/** A handshake with servers that follow one another: one for each transport that is opened. */
function shake(scripts: readonly Script[], more: Partial<HandshakeOptions> = {}) {
  const opened: ScriptedTransport[] = [];
  const told: number[] = [];
  const connecting = performHandshake({
    serverId: 's',
    client: { info: { name: 'me', version: '1' }, callbacks: {} },
    kind: 'stdio',
    remembered: undefined,
    signal: new AbortController().signal,
    timeoutMs: 1_000,
    maxTimeoutMs: 1_000,
    openTransport: (kind) => {
      opened.push(new ScriptedTransport(kind, scripts[opened.length]));
      return opened.at(-1) as ScriptedTransport;
    },
    onOpened: () => told.push(opened.length),
    ...more,
  });
  return { connecting, opened, told };
}
const failure = (connecting: Promise<unknown>) =>
  connecting.then(
    () => 'connected',
    ({ kind, message }: UpstreamError) => [kind, message],
  );
const http =
  (status: number): Script =>
  () => {
    throw new UpstreamError('http', `HTTP ${status}`, { status });
  };

test('a 2026 server is recognized with one request', async () => {
  const { connecting, opened, told } = shake([() => DISCOVERED]);
  const { era, protocolVersion, serverInfo, capabilities, instructions } = await connecting;
  expect({ era, protocolVersion, serverInfo, capabilities, instructions }).toEqual({
    era: '2026',
    protocolVersion: '2026-07-28',
    serverInfo: { name: 'modern', version: '2' },
    capabilities: { tools: {} },
    instructions: 'Use it.',
  });
  expect([opened[0]?.methods, opened[0]?.closes, told]).toEqual([['server/discover'], 0, [1]]);
});

test('properties that a server declares are used if they are valid', async () => {
  const taken = async (more: object) => {
    const { serverInfo, capabilities, instructions } = await shake([
      () => ({ ...DISCOVERED, _meta: undefined, ...more }),
    ]).connecting;
    return [serverInfo, capabilities, instructions];
  };
  expect([
    await taken({ serverInfo: { name: 'a', version: 1 }, capabilities: 'all', instructions: 7 }),
    await taken({ serverInfo: { version: '1' } }),
    await taken({ serverInfo: 'a' }),
    await taken({ serverInfo: { name: 'here', version: '1' }, _meta: DISCOVERED._meta }),
  ]).toEqual([
    [{ name: 'a', version: '' }, {}, undefined],
    [undefined, { tools: {} }, 'Use it.'],
    [undefined, { tools: {} }, 'Use it.'],
    [{ name: 'modern', version: '2' }, { tools: {} }, 'Use it.'],
  ]);
});

test('a server that does not know the probe is initialized on the same transport, and notified', async () => {
  const { connecting, opened } = shake([legacy]);
  const { era, serverInfo } = await connecting;
  expect([era, serverInfo?.name, opened.length, opened[0]?.methods]).toEqual([
    '2025',
    'legacy',
    1,
    ['server/discover', 'initialize', 'notifications/initialized'],
  ]);
  expect(opened[0]?.sent[1]?.params).toEqual({
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'me', version: '1' },
  });
});

test('a known 2025 server is not probed', async () => {
  const { connecting, opened } = shake([legacy], { remembered: '2025' });
  expect([(await connecting).era, opened[0]?.methods]).toEqual(['2025', ['initialize', 'notifications/initialized']]);
});

test('a silent process is initialized after a while; a silent HTTP server times out', async () => {
  const silent: Script = ({ method }) => (method === 'initialize' ? INITIALIZED : undefined);
  const program = shake([silent], { handshakeTimeoutMs: 20 });
  expect((await program.connecting).era).toBe('2025');
  const server = shake([silent], { handshakeTimeoutMs: 20, kind: 'http' });
  expect(await failure(server.connecting)).toEqual([
    'timed_out',
    'the server did not answer server/discover for 20 ms, and reported no progress',
  ]);
  expect([server.opened[0]?.methods, server.opened[0]?.closes]).toEqual([['server/discover'], 1]);
});

test('a process that exits at the probe is restarted for `initialize`; over HTTP a lost connection stays lost', async () => {
  const ends: Script = () => {
    throw new UpstreamError('lost', 'it ended');
  };
  const program = shake([ends, legacy]);
  expect([(await program.connecting).era, program.opened.map(({ closes }) => closes), program.told]).toEqual([
    '2025',
    [1, 0],
    [1, 2],
  ]);
  expect(program.opened[1]?.methods).toEqual(['initialize', 'notifications/initialized']);
  const server = shake([ends, legacy], { kind: 'http' });
  expect([await failure(server.connecting), server.opened.length, server.opened[0]?.closes]).toEqual([
    ['lost', 'it ended'],
    1,
    1,
  ]);
});

test('a server that refuses both is reported with its own error, or with ours if it has none', async () => {
  const rpc = shake([() => refused]);
  const status = shake([http(500)], { kind: 'http' });
  const mixed = shake([({ method }) => (method === 'initialize' ? refused : (http(503)({}) as never))], {
    kind: 'http',
  });
  expect([await failure(rpc.connecting), await failure(status.connecting), await failure(mixed.connecting)]).toEqual([
    ['unsupported', 'the server refused to initialise: Method not found'],
    ['http', 'HTTP 500'],
    ['http', 'HTTP 503'],
  ]);
});

test('if HTTP is refused, HTTP+SSE is tried, and a failure there reports the first refusal', async () => {
  const kinds = ({ opened }: ReturnType<typeof shake>) => opened.map(({ kind }) => kind);
  const old = shake([http(404), legacy], { kind: 'http' });
  expect([(await old.connecting).era, kinds(old)]).toEqual(['2025', ['http', 'sse']]);
  const opened: ScriptedTransport[] = [];
  const none = shake([], {
    kind: 'http',
    openTransport: (kind: TransportKind) => {
      const transport = new ScriptedTransport(kind, http(405));
      if (kind === 'sse') transport.starting = () => Promise.reject(new UpstreamError('refused', 'no stream'));
      opened.push(transport);
      return transport;
    },
  });
  expect([await failure(none.connecting), opened.map(({ kind }) => kind)]).toEqual([
    ['http', 'HTTP 405'],
    ['http', 'sse'],
  ]);
});

test('an entry that asks for HTTP+SSE gets it, or HTTP if that is gone; other failures are reported', async () => {
  const begin = (kind: TransportKind, fails: UpstreamError | undefined) => {
    const opened: ScriptedTransport[] = [];
    const openTransport = (of: TransportKind) => {
      const transport = new ScriptedTransport(of, legacy);
      if (fails && opened.length === 0) transport.starting = () => Promise.reject(fails);
      opened.push(transport);
      return transport;
    };
    const { connecting } = shake([], { kind, openTransport });
    return failure(connecting).then((outcome) => [outcome, opened.map((one) => one.kind), opened[0]?.closes]);
  };
  const status = new UpstreamError('http', 'HTTP 404', { status: 404 });
  expect([
    await begin('sse', undefined),
    await begin('sse', status),
    await begin('sse', new UpstreamError('bad_answer', 'no stream')),
    await begin('sse', new UpstreamError('refused', 'nobody')),
    await begin('http', status),
  ]).toEqual([
    ['connected', ['sse'], 0],
    ['connected', ['sse', 'http'], 1],
    ['connected', ['sse', 'http'], 1],
    [['refused', 'nobody'], ['sse'], 1],
    [['http', 'HTTP 404'], ['http'], 1],
  ]);
});

test('aborting ends the handshake at any step, and leaves nothing open', async () => {
  const cancelledAt = async (method: string, isOver = false) => {
    const stop = new AbortController();
    const opened: ScriptedTransport[] = [];
    const openTransport = (kind: TransportKind) => {
      const transport = new ScriptedTransport(kind, (message): JsonObject | undefined => {
        if (message.method === method) stop.abort();
        return message.method === 'initialize' ? INITIALIZED : (refused as unknown as JsonObject);
      });
      const send = transport.send.bind(transport);
      transport.send = (bytes, exchange) => {
        const sent = send(bytes, exchange);
        if (!transport.methods.includes('notifications/initialized') || method !== 'end') return sent;
        stop.abort();
        return new Promise(() => {});
      };
      opened.push(transport);
      return transport;
    };
    if (isOver) stop.abort();
    const { connecting } = shake([], { openTransport, signal: stop.signal });
    const [kind] = (await failure(connecting)) as string[];
    return [kind, opened[0]?.closes];
  };
  expect([await cancelledAt('server/discover'), await cancelledAt('initialize'), await cancelledAt('end')]).toEqual([
    ['cancelled', 1],
    ['cancelled', 1],
    ['cancelled', 1],
  ]);
  expect(await cancelledAt('none', true)).toEqual(['cancelled', 1]);
});
