import { afterEach, expect, test } from 'vitest';
import { startTestGateway } from '../../src/proxy/testing/test-gateway.ts';
import { HttpFixture, legacyHttp } from '../fixtures/servers/http-server.ts';
import { openSession } from '../support/raw-client.ts';

const POLICY = JSON.stringify({
  allowlist: {
    servers: ['files'],
    operations: { echo: { arguments: { type: 'object', properties: { path: { const: '/ok' } } } } },
  },
});

const ending: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ending.splice(0)) await end();
});

/** A gateway before a server that remembers what reached it; calls are sent as text. */
async function start(options: { policy?: string; handler?: ConstructorParameters<typeof HttpFixture>[0] } = {}) {
  const server = await new HttpFixture(options.handler ?? legacyHttp()).listen();
  const gateway = await startTestGateway({
    servers: [{ id: 'files', transport: 'http', url: server.url, oauth: false }],
    ...(options.policy ? { policy: options.policy } : {}),
  });
  ending.push(gateway.close, () => server.close());
  const session = await openSession(gateway.url);
  const callText = async (name: string, args: string, headers: Record<string, string> = {}) => {
    const response = await fetch(gateway.url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-session-id': session.id,
        ...headers,
      },
      body: `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"${name}","arguments":${args}}}`,
    });
    const { result, error } = (await response.json()) as {
      result?: { isError?: boolean; structuredContent?: unknown; _meta?: { 'bindery/error'?: { code: string } } };
      error?: { code: number };
    };
    return {
      code: error?.code ?? result?._meta?.['bindery/error']?.code,
      structured: result?.structuredContent,
      status: response.status,
      retryAfter: response.headers.get('retry-after'),
    };
  };
  return {
    server,
    session,
    callText,
    call: (args: string, headers?: Record<string, string>) => callText('files__echo', args, headers),
    sent: () => server.of('tools/call').map(({ body }) => /"arguments":(.*)\}\}$/.exec(body)?.[1]),
  };
}

test('arguments that policy judges are sent as they were judged, and never in two ways [gateway:R5]', async () => {
  const { call, sent } = await start({ policy: POLICY });
  const twice = await call('{"path":"/ok","path":"/etc"}');
  const twiceEscaped = await call('{"path":"/etc","p\\u0061th":"/ok"}');
  const deep = await call('{"path":"/ok","more":{"a":1,"a":2}}');
  const otherCase = await call('{"path":"/ok","Path":"/etc"}');
  const otherCaseEscaped = await call('{"P\\u0041th":"/etc","path":"/ok"}');
  const deepOtherCase = await call('{"path":"/ok","more":[{"kind":1,"\u212aind":2}]}');
  const tooLarge = await call('{"path":"/ok","n":1e400}');
  const other = await call('{"path":"/etc"}');
  const spaced = await call('{ "path" : "/\\u006fk" }');
  const refused = [twice, twiceEscaped, deep, otherCase, otherCaseEscaped, deepOtherCase, tooLarge];
  expect([[...refused, other, spaced].map(({ code }) => code), sent()]).toEqual([
    [-32600, -32600, -32600, -32600, -32600, -32600, -32602, 'POLICY_DENIED', undefined],
    ['{"path":"/ok"}'],
  ]);
});

test('arguments that policy judges are read in one way through call_tool, too [gateway:R5] [gateway:F6]', async () => {
  const { callText, sent } = await start({ policy: POLICY });
  const outer = (inner: string, more = '') =>
    callText('call_tool', `{"name":"files__echo","arguments":${inner}${more}}`);
  const answers = [
    await outer('{"path":"/ok","path":"/ok"}'),
    await outer('{"path":"/ok","Path":"/etc"}'),
    await outer('{"path":"/ok"}', ',"Arguments":{"path":"/etc"}'),
    await outer('{"path":"/ok"}', ',"name":"files__other"'),
    await outer('{ "path" : "/ok" }'),
  ];
  expect([answers.map(({ code }) => code), sent()]).toEqual([
    [-32600, -32600, 'INVALID_ARGUMENTS', 'INVALID_ARGUMENTS', undefined],
    ['{"path":"/ok"}'],
  ]);
});

test('arguments that nobody judges pass byte for byte, and headers of the client do not [gateway:R5] [gateway:A12]', async () => {
  const { call, sent, server } = await start();
  await call('{ "n" : 1.0e2, "text":"\\u00e9" }', {
    'mcp-param-secret': 'x',
    'x-own': 'y',
    authorization: 'Bearer local',
  });
  const [seen] = server.of('tools/call');
  expect([sent(), Object.keys(seen?.headers ?? {}).filter((name) => /secret|own|authorization/.test(name))]).toEqual([
    ['{ "n" : 1.0e2, "text":"\\u00e9" }'],
    [],
  ]);
});

test('a server that is gone gives a result with words for a model, and nothing that a schema could refuse [gateway:A16] [gateway:A17] [gateway:E1] [gateway:E2]', async () => {
  const { call } = await start({
    handler: legacyHttp(({ seen, response }) => {
      if (seen.message?.method !== 'tools/call') return false;
      response.writeHead(429, { 'retry-after': '7' }).end();
      return true;
    }),
  });
  expect(await call('{}')).toEqual({ code: 'RATE_LIMITED', structured: undefined, status: 200, retryAfter: '7' });
});

test('text without a canonical form is refused, since nobody could say later what was called [gateway:FUZZ]', async () => {
  const { call, sent } = await start();
  expect([(await call('{"text":"\\ud800"}')).code, sent()]).toEqual([-32602, []]);
});

test('reads and prompts fail with JSON-RPC errors [gateway:E4]', async () => {
  const { session } = await start();
  const codes = [
    await session.request('resources/read', { uri: 'no://thing' }),
    await session.request('prompts/get', { name: 'nobody' }),
    await session.request('completion/complete', { ref: { type: 'ref/prompt', name: 'nobody' } }),
  ].map(({ error }) => error?.code);
  expect(codes).toEqual([-32002, -32602, -32602]);
});
