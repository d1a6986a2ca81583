import { afterAll, expect, test } from 'vitest';
import { http, until, World } from '../../../../test/fixtures/connect.ts';
import { HttpFixture, legacyHttp, type Reply } from '../../../../test/fixtures/servers/http-server.ts';
import type { ContinuedSession, KeptSession, UpstreamError } from '../../../wire/upstream.ts';
import { connectServer } from './connect-server.ts';

const world = new World();
afterAll(() => world.close());

/** A server that knows one session at a time, and forgets it when the test says so. */
async function open(more: (reply: Reply) => boolean = () => false) {
  const server = { known: 'session-1', version: undefined as string | undefined };
  const base = legacyHttp();
  const fixture = world.keep(
    await new HttpFixture((reply) => {
      const { message, headers } = reply.seen;
      if (more(reply)) return;
      if (message?.method === 'tools/call' && headers['mcp-session-id'] !== server.known) reply.json({}, 404);
      else if (message?.method === 'initialize' && server.version)
        reply.result(
          { protocolVersion: server.version, serverInfo: {}, capabilities: {} },
          { 'mcp-session-id': 'odd' },
        );
      else base(reply);
    }).listen(),
  );
  const connect = async (kept?: KeptSession, callbacks: object = {}) =>
    world.keep(await connectServer(http(fixture.url), world.ports(callbacks), { kept, remembered: '2025' }));
  const call = { method: 'tools/call', params: { name: 'echo' } };
  const sessions = (method: string) => fixture.of(method).map(({ headers }) => headers['mcp-session-id']);
  return { server, fixture, connect, call, sessions };
}
const session = (id: string, protocolVersion = '2025-11-25'): ContinuedSession => ({
  id,
  protocolVersion,
  serverInfo: { name: 'kept', version: '1' },
  capabilities: { tools: {}, kept: {} },
});

test('[wire:SESSION] every message after the handshake carries the session id, and so does the stream for server-initiated messages', async () => {
  const { fixture, connect, call, sessions } = await open();
  const connection = await connect();
  await connection.request(call);
  await until(() => fixture.methods.includes('GET'));
  const get = fixture.seen.find(({ verb }) => verb === 'GET');
  expect([sessions('initialize'), sessions('notifications/initialized'), sessions('tools/call')]).toEqual([
    [undefined],
    ['session-1'],
    ['session-1'],
  ]);
  expect([get?.headers['mcp-session-id'], get?.headers['mcp-protocol-version'], connection.sessionBound]).toEqual([
    'session-1',
    '2025-11-25',
    true,
  ]);
});

test('[wire:SESSION] a lost session is replaced once for all requests, reported to other processes, and gets a stream of its own', async () => {
  const { fixture, server, connect, call, sessions } = await open();
  const renewed: (string | undefined)[] = [];
  const asked: string[] = [];
  const kept: KeptSession = {
    newerThan: async (lost) => {
      asked.push(lost);
      return undefined;
    },
    renewed: async ({ id }) => void renewed.push(id),
  };
  const connection = await connect(kept);
  server.known = 'session-2';
  await Promise.all([connection.request(call), connection.request(call)]);
  await until(() => fixture.seen.filter(({ verb }) => verb === 'GET').length === 2);
  expect([asked, renewed, fixture.of('initialize').length, sessions('notifications/initialized')]).toEqual([
    ['session-1'],
    ['session-2'],
    2,
    ['session-1', 'session-2'],
  ]);
  expect([sessions('tools/call').sort(), connection.session?.id]).toEqual([
    ['session-1', 'session-1', 'session-2', 'session-2'],
    'session-2',
  ]);
});

test('[wire:SESSION] a newer session of another process is used, unless it has another revision', async () => {
  const outcome = async (newer: ContinuedSession) => {
    const { fixture, server, connect, call, sessions } = await open();
    const renewed: string[] = [];
    const connection = await connect({
      newerThan: async () => newer,
      renewed: async ({ id }) => void renewed.push(id),
    });
    server.known = newer.protocolVersion === '2025-11-25' ? newer.id : 'session-2';
    await connection.request(call);
    return [fixture.of('initialize').length, sessions('tools/call').at(-1), renewed];
  };
  expect([await outcome(session('theirs')), await outcome(session('theirs', '2025-06-18'))]).toEqual([
    [1, 'theirs', []],
    [2, 'session-2', ['session-2']],
  ]);
});

test('[wire:SESSION] a continued session needs no handshake and has the agreed properties', async () => {
  const { fixture, server, connect, call, sessions } = await open();
  server.known = 'mine';
  const kept = { continues: session('mine'), newerThan: async () => undefined, renewed: async () => {} };
  const connection = await connect(kept);
  await connection.request(call);
  expect([fixture.of('initialize').length, sessions('tools/call'), connection.sessionBound]).toEqual([
    0,
    ['mine'],
    true,
  ]);
  expect([connection.era, connection.protocolVersion, connection.serverInfo?.name, connection.capabilities]).toEqual([
    '2025',
    '2025-11-25',
    'kept',
    { tools: {}, kept: {} },
  ]);
});

test('[wire:SESSION] a server that returns with another revision counts as lost', async () => {
  const { server, connect, call } = await open();
  const connection = await connect();
  server.known = 'another';
  server.version = '2025-06-18';
  const failed = await connection.request(call).catch(({ kind, message }: UpstreamError) => [kind, message]);
  expect([failed, connection.closed]).toEqual([['lost', 'the server came back with another revision'], true]);
});

test.each([
  ['elicitation', { elicitation: { form: async () => ({}) } }],
  ['sampling', { sampling: async () => ({}) }],
  ['roots', { roots: async () => ({}) }],
])(
  '[wire:STREAM] a client that can be asked for %s is connected once the server can ask, or after a while',
  async (_what, callbacks) => {
    let isOpen = false;
    const { connect } = await open((reply) => {
      if (reply.seen.verb !== 'GET') return false;
      setTimeout(() => {
        isOpen = true;
        reply.stream();
      }, 60);
      return true;
    });
    await connect(undefined, callbacks);
    expect(isOpen).toBe(true);
  },
);

test('[wire:STREAM] a client that answers no questions does not wait for the stream', async () => {
  let isOpen = false;
  const { connect } = await open((reply) => {
    if (reply.seen.verb !== 'GET') return false;
    setTimeout(() => {
      isOpen = true;
      reply.stream();
    }, 300);
    return true;
  });
  await connect();
  expect(isOpen).toBe(false);
});

test('[wire:SESSION] a session is deleted with its connection, unless others share it', async () => {
  const ended = async (isKept: boolean | undefined) => {
    const { fixture, connect } = await open();
    const connection = await connect();
    if (isKept !== undefined) connection.keepSession(isKept);
    await connection.close();
    return fixture.methods.includes('DELETE');
  };
  expect([await ended(undefined), await ended(true), await ended(false)]).toEqual([true, false, true]);
});

test('[wire:RESUME] within a session, an answer whose stream breaks off is resumed with the last event id', async () => {
  let id: unknown;
  const { connect, call } = await open((reply) => {
    const { verb, message, headers } = reply.seen;
    if (message?.method === 'tools/call') {
      id = message.id;
      const stream = reply.stream();
      stream.raw('id: p1\nretry: 20\ndata:\n\n');
      stream.end();
      return true;
    }
    if (verb !== 'GET' || headers['last-event-id'] === undefined) return false;
    reply.stream().send({ id, result: { after: headers['last-event-id'] } });
    return true;
  });
  expect(await (await connect()).request(call)).toEqual({ after: 'p1' });
});
