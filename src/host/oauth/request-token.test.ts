import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { HttpFixture } from '../../../test/fixtures/servers/http-server.ts';
import { HttpPool } from '../transports/http-pool.ts';
import type { OAuthClient } from './client-registration.ts';
import { OAuthError, toAuthFailure } from './oauth-error.ts';
import { requestToken } from './request-token.ts';

const pool = new HttpPool();
let answer: { status: number; body: object };
let server: HttpFixture;

beforeAll(async () => {
  server = await new HttpFixture((reply) => reply.json(answer.body, answer.status)).listen();
});
beforeEach(() => {
  server.seen.length = 0;
});
afterAll(async () => {
  await pool.destroy();
  await server.close();
});

const TOKEN = { access_token: 'a' };
const request = (client: OAuthClient = { clientId: 'c' }, supported: readonly string[] = []) =>
  requestToken(
    pool.entry({}),
    new URL(`${server.origin}/token`),
    client,
    supported,
    { grant_type: 'g', resource: undefined },
    undefined,
  );

test.each([
  [200, TOKEN, 'a'],
  [299, TOKEN, 'a'],
  [300, TOKEN, 'no_token'],
  [400, { error: 'invalid_grant' }, 'invalid_grant'],
  [400, { error: 'x'.repeat(64) }, 'x'.repeat(64)],
  [400, { error: 'x'.repeat(65) }, 'no_token'],
  [400, { error: 'two words' }, 'no_token'],
  [400, { error: 7 }, 'no_token'],
  [200, { access_token: '' }, 'no_token'],
  [200, { access_token: 7 }, 'no_token'],
  [200, {}, 'no_token'],
  [499, TOKEN, 'no_token'],
  [500, TOKEN, 'unreachable'],
  [200, { ...TOKEN, token_type: 'bEARER' }, 'a'],
  [200, { ...TOKEN, token_type: 'mac' }, 'unsupported_token_type'],
  [200, { ...TOKEN, token_type: 7 }, 'a'],
])('a token endpoint that answers %i %j gives %s', async (status, body, expected) => {
  answer = { status, body };
  const outcome = await request().then(
    ({ accessToken }) => accessToken,
    (thrown: OAuthError) => thrown.code,
  );
  expect(outcome).toBe(expected);
});

test.each([
  [{}, { refreshToken: undefined, expiresInMs: undefined, scope: undefined }],
  [
    { refresh_token: 'r', expires_in: 60, scope: 's' },
    { refreshToken: 'r', expiresInMs: 60_000, scope: 's' },
  ],
  [
    { refresh_token: 1, expires_in: '60', scope: 1 },
    { refreshToken: undefined, expiresInMs: 60_000, scope: undefined },
  ],
  [{ expires_in: 0 }, { refreshToken: undefined, expiresInMs: undefined, scope: undefined }],
  [{ expires_in: 1 }, { refreshToken: undefined, expiresInMs: 1_000, scope: undefined }],
  [{ expires_in: -1 }, { refreshToken: undefined, expiresInMs: undefined, scope: undefined }],
  [{ expires_in: 'soon' }, { refreshToken: undefined, expiresInMs: undefined, scope: undefined }],
])('of an answer with %j these members are kept: %j', async (more, kept) => {
  answer = { status: 200, body: { ...TOKEN, ...more } };
  expect(await request()).toEqual({ accessToken: 'a', tokenType: 'Bearer', ...kept });
});

const BASIC = `Basic ${Buffer.from('c:s%2F+').toString('base64')}`;
const SECRET = { clientId: 'c', clientSecret: 's/ ' };
test.each([
  [{ clientId: 'c' }, [], undefined, 'grant_type=g&client_id=c'],
  [{ clientId: 'c', authMethod: 'client_secret_basic' }, [], undefined, 'grant_type=g&client_id=c'],
  [SECRET, [], BASIC, 'grant_type=g'],
  [SECRET, ['client_secret_post'], undefined, 'grant_type=g&client_id=c&client_secret=s%2F+'],
  [SECRET, ['client_secret_post', 'client_secret_basic'], BASIC, 'grant_type=g'],
  [SECRET, ['none'], undefined, 'grant_type=g&client_id=c'],
  [SECRET, ['private_key_jwt'], undefined, 'grant_type=g&client_id=c&client_secret=s%2F+'],
  [{ ...SECRET, authMethod: 'client_secret_post' }, [], undefined, 'grant_type=g&client_id=c&client_secret=s%2F+'],
  [{ ...SECRET, authMethod: 'client_secret_post' }, ['client_secret_basic'], BASIC, 'grant_type=g'],
  [
    { ...SECRET, authMethod: 'client_secret_post' },
    ['client_secret_basic', 'client_secret_post'],
    undefined,
    'grant_type=g&client_id=c&client_secret=s%2F+',
  ],
  [{ ...SECRET, authMethod: 'private_key_jwt' }, [], BASIC, 'grant_type=g'],
])('the client %j authenticates where %j is supported by %s and %s', async (client, supported, header, body) => {
  answer = { status: 200, body: TOKEN };
  await request(client, supported);
  expect(server.seen.map(({ headers, body: sent }) => [headers.authorization, sent])).toEqual([[header, body]]);
});

test('a failure says whether a person can solve it; an unreachable authorization server refuses only for now', () => {
  const failures = ['cancelled', 'invalid_grant', 'unreachable'].map((code) =>
    toAuthFailure(new OAuthError(code, 'why'), 401),
  );
  const other = toAuthFailure(new Error('disk'), 403);
  expect([...failures, other].map(({ kind, message, signIn, status }) => ({ kind, message, signIn, status }))).toEqual([
    { kind: 'auth', message: 'why', signIn: true, status: 401 },
    { kind: 'auth', message: 'why', signIn: false, status: 401 },
    { kind: 'refused', message: 'why', signIn: false, status: undefined },
    { kind: 'auth', message: 'authorization failed', signIn: false, status: 403 },
  ]);
  expect(toAuthFailure(other, 401)).toBe(other);
});
