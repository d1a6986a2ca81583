import type { Dispatcher } from 'undici';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { HttpFixture } from '../../../test/fixtures/servers/http-server.ts';
import { UpstreamError } from '../../wire/upstream.ts';
import { HttpPool } from '../transports/http-pool.ts';
import { createPublicAgent } from '../transports/public-agent.ts';
import { requestJson, secureUrl } from './http-json.ts';
import { OAUTH_LIMITS as LIMITS } from './limits.ts';
import { OAuthError, signInFailed } from './oauth-error.ts';

const pool = new HttpPool();
let server: HttpFixture;
let body = '';

beforeAll(async () => {
  server = await new HttpFixture(({ response, seen }) => {
    if (seen.path === '/never') return;
    response.writeHead(seen.path === '/gone' ? 404 : 200);
    response.end(body);
  }).listen();
});
afterAll(async () => {
  await pool.destroy();
  await server.close();
});

const request = (path: string, signal?: AbortSignal, dispatcher: Dispatcher = pool.entry({})) =>
  requestJson(dispatcher, { url: new URL(path, server.origin), method: 'GET', headers: {} }, signal);

test.each([
  ['{"a":1}', { a: 1 }],
  ['[1]', undefined],
  ['7', undefined],
  ['null', undefined],
  ['no json', undefined],
  ['', undefined],
])('the body %j is read as %j, with its status', async (text, expected) => {
  body = text;
  expect([await request('/'), await request('/gone')]).toEqual([
    { status: 200, body: expected },
    { status: 404, body: expected },
  ]);
});

test('an answer of the maximum size is read, and one that is a byte larger is not', async () => {
  const sized = (bytes: number) => `{"a":"${'x'.repeat(bytes - 8)}"}`;
  body = sized(LIMITS.metadataBytesMax);
  expect((await request('/')).status).toBe(200);
  body = sized(LIMITS.metadataBytesMax + 1);
  await expect(request('/')).rejects.toMatchObject({ code: 'unreachable' });
});

test('an aborted request ends the wait, and an unreachable address is reported as such', async () => {
  const away = await new HttpFixture(() => {}).listen();
  const { origin } = away;
  await away.close();
  const messages = [
    await request('/never', AbortSignal.timeout(5)).catch((error: Error) => error.message),
    await request(`${origin}/`).catch((error: Error) => error.message),
  ];
  expect(messages).toEqual([`${server.origin} cannot be reached`, `${origin} cannot be reached`]);
});

test('a private address is refused without a request, and the error says what to do', async () => {
  const agent = createPublicAgent();
  const before = server.seen.length;
  await expect(request('/', undefined, agent)).rejects.toMatchObject({
    code: 'private_endpoint',
    message: expect.stringContaining('set oauth.allow_private_endpoints of this server'),
  });
  expect(server.seen.length).toBe(before);
  await agent.close();
});

test.each([
  ['https://a.example/token', true],
  ['http://127.0.0.1:1/token', true],
  ['http://localhost/token', true],
  ['http://[::1]/token', true],
  ['http://a.example/token', false],
  ['ftp://127.0.0.1/token', false],
  ['https://user@a.example/', false],
  ['https://:word@a.example/', false],
  ['a.example', false],
  [undefined, false],
  [7, false],
])('%j is an address for secrets: %s', (value, isSecure) => {
  if (isSecure) expect(secureUrl(value, 'place').href).toBe(value);
  else expect(() => secureUrl(value, 'place')).toThrow('the place is not a secure URL');
});

test('an error names the next step only if there is a specific one', () => {
  const nextOf = (failure: OAuthError | UpstreamError) => signInFailed(failure, 'why').next;
  const known = nextOf(new OAuthError('port_taken', 'x'));
  const [other, upstream] = [nextOf(new OAuthError('issuer_mismatch', 'x')), nextOf(new UpstreamError('auth', 'x'))];
  expect([known, other === upstream, other === known]).toEqual([
    'Set oauth.callback_port of the server to a port that is free.',
    true,
    false,
  ]);
  expect(signInFailed(new OAuthError('timed_out', 'x'), 'why')).toMatchObject({
    code: 'SIGN_IN_FAILED',
    detail: 'why',
  });
});
