import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { signSession } from '../../src/gateway/session/session-id.ts';
import {
  type RunningFixture,
  startModernFixture,
  startSessionFixture,
} from '../../src/proxy/testing/fixture-server.ts';
import { openSession, type RpcAnswer, rpcError } from '../support/raw-client.ts';
import {
  type BinderyHome,
  createHome,
  type RunningBindery,
  startBindery,
  untilKnown,
} from '../support/running-bindery.ts';

let fixtures: RunningFixture[];
let home: BinderyHome;
let bindery: RunningBindery;

beforeAll(async () => {
  fixtures = [await startModernFixture(), await startSessionFixture()];
  home = await createHome({
    mcp: {
      servers: {
        modern: { transport: 'http', url: fixtures[0]?.url },
        legacy: { transport: 'http', url: fixtures[1]?.url },
      },
    },
    gateway: { profiles: { other: {} } },
  });
  bindery = await startBindery(home);
  await untilKnown(bindery, 'modern', 'legacy');
});

afterAll(async () => {
  await bindery?.stop();
  for (const fixture of fixtures ?? []) await fixture.close();
  await home?.remove();
});

const JSON_TYPE = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
const META_2026 =
  '"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}';

async function post(body: string | Uint8Array, headers: Record<string, string> = {}, path = '/mcp') {
  const response = await fetch(`${bindery.url}${path}`, {
    method: 'POST',
    headers: { ...JSON_TYPE, ...headers },
    body,
  });
  const answer = (await response.json().catch(() => undefined)) as RpcAnswer | undefined;
  return { status: response.status, code: answer?.error?.code, id: answer?.id };
}

describe('what is refused before it is a request', () => {
  test.each<[string, string | Uint8Array, Record<string, string>, object]>([
    ['text that is no JSON', '{"jsonrpc"', {}, { status: 400, code: -32700, id: null }],
    ['nothing', '', {}, { status: 400, code: -32700, id: null }],
    ['bytes that are no UTF-8', Buffer.from([0x22, 0xff, 0x22]), {}, { status: 400, code: -32700, id: null }],
    ['a number', '42', {}, { status: 400, code: -32600, id: null }],
    ['an object that is no message', '{"hello":"world"}', {}, { status: 400, code: -32600, id: null }],
    [
      'another version of JSON-RPC',
      '{"jsonrpc":"1.0","id":1,"method":"ping"}',
      {},
      { status: 400, code: -32600, id: null },
    ],
    [
      'an id that is an object',
      '{"jsonrpc":"2.0","id":{},"method":"ping"}',
      {},
      { status: 400, code: -32600, id: null },
    ],
    [
      'params that are a list',
      '{"jsonrpc":"2.0","id":1,"method":"ping","params":[1]}',
      {},
      { status: 400, code: -32600, id: 1 },
    ],
    [
      'a batch without a session',
      '[{"jsonrpc":"2.0","id":1,"method":"ping"}]',
      {},
      { status: 400, code: -32600, id: null },
    ],
    [
      'a request without a session',
      '{"jsonrpc":"2.0","id":1,"method":"ping"}',
      {},
      { status: 400, code: -32600, id: null },
    ],
    ['another content type', '{}', { 'content-type': 'text/plain' }, { status: 415, code: -32600, id: null }],
    ['a foreign Origin', '{}', { origin: 'https://evil.example' }, { status: 403, code: -32600, id: null }],
    [
      'a page of another port',
      '{}',
      { origin: 'http://127.0.0.1:9999', 'sec-fetch-site': 'cross-site' },
      { status: 403, code: -32600, id: null },
    ],
    ['a body over 4 MiB', Buffer.alloc(4 * 1024 * 1024 + 1, 0x20), {}, { status: 413, code: -32600, id: null }],
  ])('[gateway:E5] %s', async (_what, body, headers, expected) => {
    expect(await post(body, headers)).toEqual(expected);
  });

  test('[gateway:E5] a body over 4 MiB that does not say its length', async () => {
    const socket = connect(Number(new URL(bindery.url).port), '127.0.0.1');
    socket.write(
      'POST /mcp HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n',
    );
    const chunk = Buffer.concat([Buffer.from('100000\r\n'), Buffer.alloc(0x100000, 0x20), Buffer.from('\r\n')]);
    socket.on('error', () => {});
    for (let sent = 0; sent < 5; sent += 1) socket.write(chunk);
    const [head] = await once(socket, 'data');
    socket.destroy();
    expect(String(head).split('\r\n')[0]).toBe('HTTP/1.1 413 Payload Too Large');
  });

  test('[gateway:E5] a foreign Host', async () => {
    const socket = connect(Number(new URL(bindery.url).port), '127.0.0.1');
    socket.write(
      'POST /mcp HTTP/1.1\r\nhost: evil.example\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}',
    );
    const [head] = await once(socket, 'data');
    socket.destroy();
    expect(String(head).split('\r\n')[0]).toBe('HTTP/1.1 403 Forbidden');
  });

  test('[gateway:F1] an unknown profile', async () => {
    expect(await post('{"jsonrpc":"2.0","id":1,"method":"ping"}', {}, '/mcp/unknown')).toEqual({
      status: 404,
      code: -32600,
      id: null,
    });
  });

  test('[gateway:E5] another verb', async () => {
    const response = await fetch(bindery.mcpUrl, { method: 'PUT', body: '{}' });
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST, GET, DELETE']);
  });
});

describe('members that stand there twice or in another case are refused [gateway:E8]', () => {
  test.each([
    '{"jsonrpc":"2.0","jsonrpc":"2.0","id":1,"method":"ping"}',
    '{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}',
    '{"jsonrpc":"2.0","id":1,"method":"ping","method":"tools/list"}',
    '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","name":"b"}}',
    '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a"},"params":{"name":"b"}}',
    '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","arguments":{},"arguments":{"x":1}}}',
    '{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"a:1","\\u0075ri":"a:2"}}',
    '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","_meta":{},"_meta":{}}}',
    '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","Name":"b"}}',
    '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","arguments":{},"argument\\u017f":{}}}',
    '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a"},"PARAMS":{"name":"b"}}',
    '{"jsonrpc":"2.0","id":1,"method":"ping","METHOD":"tools/list"}',
    '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","_meta":{"progresstoken":1}}}',
  ])('%s', async (body) => {
    const session = await openSession(bindery.mcpUrl);
    const id = body.includes('"id":2') ? null : 1;
    expect(await post(body, { 'mcp-session-id': session.id })).toEqual({ status: 400, code: -32600, id });
  });
});

describe('a request of revision 2026-07-28', () => {
  const headers = (method: string, more: Record<string, string> = {}) => ({
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': method,
    ...more,
  });
  const call = `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"modern__echo","arguments":{"text":"hi"},${META_2026}}}`;

  test.each<[string, string, Record<string, string>, object]>([
    [
      'says another method in its header',
      call,
      headers('tools/list', { 'mcp-name': 'modern__echo' }),
      { status: 400, code: -32020, id: 7 },
    ],
    [
      'says another name in its header',
      call,
      headers('tools/call', { 'mcp-name': 'modern__fail' }),
      { status: 400, code: -32020, id: 7 },
    ],
    ['has no header for its name', call, headers('tools/call'), { status: 400, code: -32020, id: 7 }],
    [
      'has no header for its version',
      call,
      { 'mcp-method': 'tools/call', 'mcp-name': 'modern__echo' },
      { status: 400, code: -32020, id: 7 },
    ],
    [
      'says another version in its header',
      call,
      { ...headers('tools/call', { 'mcp-name': 'modern__echo' }), 'mcp-protocol-version': '2025-11-25' },
      { status: 400, code: -32020, id: 7 },
    ],
    [
      'has no envelope',
      '{"jsonrpc":"2.0","id":7,"method":"tools/list","params":{}}',
      headers('tools/list'),
      { status: 400, code: -32602, id: 7 },
    ],
    [
      'asks for a method that is gone',
      `{"jsonrpc":"2.0","id":7,"method":"ping","params":{${META_2026}}}`,
      headers('ping'),
      { status: 404, code: -32601, id: 7 },
    ],
    [
      'is of a revision that nobody knows',
      call.replace('2026-07-28', '2099-01-01'),
      { ...headers('tools/call', { 'mcp-name': 'modern__echo' }), 'mcp-protocol-version': '2099-01-01' },
      { status: 400, code: -32022, id: 7 },
    ],
    ['is a batch', `[${call}]`, headers('tools/call'), { status: 400, code: -32600, id: null }],
    ['is whole', call, headers('tools/call', { 'mcp-name': 'modern__echo' }), { status: 200, code: undefined, id: 7 }],
  ])('[gateway:E5] that %s', async (_what, body, given, expected) => {
    expect(await post(body, given)).toEqual(expected);
  });
});

describe('a batch [gateway:A15]', () => {
  const ping = (id: number) => ({ jsonrpc: '2.0', id, method: 'ping' });

  async function postBatch(version: string, members: readonly object[]) {
    const session = await openSession(bindery.mcpUrl, { protocolVersion: version });
    const response = await fetch(bindery.mcpUrl, {
      method: 'POST',
      headers: { ...JSON_TYPE, 'mcp-session-id': session.id },
      body: JSON.stringify(members),
    });
    return { status: response.status, body: await response.json().catch(() => undefined) };
  }

  test('is answered in a session of 2025-03-26, each member by itself', async () => {
    const call = {
      jsonrpc: '2.0',
      id: 'x',
      method: 'tools/call',
      params: { name: 'legacy__echo', arguments: { text: 'hi' } },
    };
    const note = { jsonrpc: '2.0', method: 'notifications/initialized' };
    expect(await postBatch('2025-03-26', [note, ping(1), call, { ...ping(2), method: 'no/method' }])).toEqual({
      status: 200,
      body: [
        { jsonrpc: '2.0', id: 1, result: {} },
        { jsonrpc: '2.0', id: 'x', result: { content: [{ type: 'text', text: 'hi' }] } },
        { jsonrpc: '2.0', id: 2, error: { code: -32601, message: 'Method not found: no/method' } },
      ],
    });
  });

  test('of notifications alone is accepted without an answer', async () => {
    const note = { jsonrpc: '2.0', method: 'notifications/initialized' };
    expect(await postBatch('2025-03-26', [note])).toEqual({ status: 202, body: undefined });
  });

  test.each<[string, string, readonly object[]]>([
    ['in a session of another revision', '2025-11-25', [ping(1)]],
    ['of more than 50', '2025-03-26', Array.from({ length: 51 }, (_, id) => ping(id))],
    ['of none', '2025-03-26', []],
    ['with a member that is no message', '2025-03-26', [ping(1), { hello: 'world' }]],
  ])('%s is refused', async (_what, version, members) => {
    expect(await postBatch(version, members)).toEqual({ status: 400, body: rpcError(null, -32600) });
  });
});

describe('a session', () => {
  const ask = async (id: string, path = '/mcp') =>
    (await post('{"jsonrpc":"2.0","id":1,"method":"ping"}', { 'mcp-session-id': id }, path)).status;
  const key = async () => Buffer.from(await readFile(join(home.dataDir, 'session.key'), 'utf8'), 'base64url');
  const claims = {
    s: 'abcdefghijklmnopqrstuv',
    i: Math.floor(Date.now() / 1_000),
    v: '2025-11-25',
    p: 'default',
    u: 'local',
    c: {},
  };

  test('that was forged, has expired, or is another caller’s or profile’s is not found [gateway:S1] [gateway:S2]', async () => {
    const { id } = await openSession(bindery.mcpUrl);
    const secret = await key();
    const [prefix, payload, signature] = id.split('.') as [string, string, string];
    const forgedPayload = Buffer.from(JSON.stringify({ ...claims, u: 'admin' })).toString('base64url');
    expect({
      own: await ask(id),
      otherProfile: await ask(id, '/mcp/other'),
      forgedPayload: await ask([prefix, forgedPayload, signature].join('.')),
      cutSignature: await ask([prefix, payload, signature.slice(0, -2)].join('.')),
      nonsense: await ask('nonsense'),
      signedByUs: await ask(signSession(claims, secret)),
      signedByOthers: await ask(signSession(claims, Buffer.alloc(32))),
      expired: await ask(signSession({ ...claims, i: claims.i - 24 * 60 * 60 }, secret)),
      otherCaller: await ask(signSession({ ...claims, u: 'token' }, secret)),
    }).toEqual({
      own: 200,
      otherProfile: 404,
      forgedPayload: 404,
      cutSignature: 404,
      nonsense: 404,
      signedByUs: 200,
      signedByOthers: 404,
      expired: 404,
      otherCaller: 404,
    });
  });

  test('survives a restart, and one that was ended does not come back [gateway:S2] [gateway:S3] [gateway:S4] [gateway:A3]', async () => {
    const kept = await openSession(bindery.mcpUrl);
    // Long capabilities do not travel in the id: they must come back from the store.
    const long = await openSession(bindery.mcpUrl, {
      capabilities: { experimental: { text: { value: 'x'.repeat(400) } } },
    });
    const ended = await openSession(bindery.mcpUrl);
    const end = await fetch(bindery.mcpUrl, { method: 'DELETE', headers: { 'mcp-session-id': ended.id } });
    const before = [await ask(kept.id), await ask(long.id), end.status, await ask(ended.id)];
    const exit = await bindery.stop();
    bindery = await startBindery(home);
    const after = [await ask(kept.id), await ask(long.id), await ask(ended.id)];
    expect({ before, exit, after }).toEqual({ before: [200, 200, 204, 404], exit: 0, after: [200, 200, 404] });
  });

  test('has no stream without an id, and none for who does not accept one [gateway:E5]', async () => {
    const { id } = await openSession(bindery.mcpUrl);
    const get = (headers: Record<string, string>) => fetch(bindery.mcpUrl, { headers });
    expect([
      (await get({ accept: 'text/event-stream' })).status,
      (await get({ accept: 'application/json', 'mcp-session-id': id })).status,
      (await get({ accept: 'text/event-stream', 'mcp-session-id': 'nonsense' })).status,
    ]).toEqual([405, 406, 404]);
  });
});

describe('a body is read as it comes', () => {
  const head = (more: string) =>
    `POST /mcp HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\naccept: application/json, text/event-stream\r\n${more}\r\n\r\n`;
  const ping = (id: number) => `{"jsonrpc":"2.0","id":${id},"method":"server/discover","params":{${META_2026}}}`;
  const withLength = (body: string) =>
    head(`mcp-protocol-version: 2026-07-28\r\nmcp-method: server/discover\r\ncontent-length: ${body.length}`);
  const chunked = head('mcp-protocol-version: 2026-07-28\r\nmcp-method: server/discover\r\ntransfer-encoding: chunked');
  const whole = (id: number) => withLength(ping(id)) + ping(id);

  test.each<[string, readonly string[], readonly number[]]>([
    ['with its head', [whole(1)], [1]],
    ['after its head', [withLength(ping(1)), ping(1)], [1]],
    ['in two parts', [withLength(ping(1)) + ping(1).slice(0, 20), ping(1).slice(20)], [1]],
    ['in chunks', [`${chunked}${ping(1).length.toString(16)}\r\n${ping(1)}\r\n`, '0\r\n\r\n'], [1]],
    ['several in one packet', [whole(1) + whole(2) + whole(3)], [1, 2, 3]],
    ['with the beginning of the next', [whole(1) + whole(2).slice(0, 30), whole(2).slice(30)], [1, 2]],
    ['one after another', [whole(1), whole(2)], [1, 2]],
  ])('%s', async (_how, parts, ids) => {
    const socket = connect({ port: Number(new URL(bindery.url).port), host: '127.0.0.1', noDelay: true });
    let seen = '';
    const answered = () => [...seen.matchAll(/"id":(\d+),"result"/g)].map(([, id]) => Number(id));
    socket.on('data', (chunk) => {
      seen += chunk;
    });
    for (const part of parts) {
      socket.write(part);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    while (answered().length < ids.length) await once(socket, 'data');
    socket.destroy();
    expect([answered(), seen.match(/HTTP\/1\.1 200/g)?.length]).toEqual([ids, ids.length]);
  });
});

test('with --token nobody comes in without it, and what changes something needs the admin’s [gateway:A24] [gateway:D5] [gateway:E5]', async () => {
  const guarded = await createHome({});
  const running = await startBindery(guarded, '--token', 'open sesame');
  try {
    const status = async (path: string, init: RequestInit) => (await fetch(`${running.url}${path}`, init)).status;
    const ping = {
      method: 'POST',
      headers: JSON_TYPE,
      body: '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25"}}',
    };
    const withToken = (token: string) => ({ ...ping, headers: { ...JSON_TYPE, authorization: `Bearer ${token}` } });
    const refused = await fetch(running.mcpUrl, ping);
    expect({
      none: [refused.status, refused.headers.get('www-authenticate')],
      wrong: await status('/mcp', withToken('open barley')),
      right: await status('/mcp', withToken('open sesame')),
      read: await status('/v1/servers', {}),
      readWithToken: await status('/v1/servers', { headers: { authorization: 'Bearer open sesame' } }),
      changeWithToken: await status('/v1/approvals/apr_1/decision', {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: 'Bearer open sesame' },
        body: '{"decision":"approve"}',
      }),
      health: await status('/healthz', {}),
    }).toEqual({
      none: [401, 'Bearer'],
      wrong: 401,
      right: 200,
      read: 401,
      readWithToken: 200,
      changeWithToken: 401,
      health: 200,
    });
  } finally {
    await running.stop();
    await guarded.remove();
  }
});
