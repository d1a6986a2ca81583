import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { HttpFixture } from '../../../test/fixtures/servers/http-server.ts';
import { Semaphore } from '../connection/pool/semaphore.ts';
import type { OAuthSpec } from '../connection/supervision/server-set.ts';
import { HttpPool } from '../transports/http-pool.ts';
import { OAuthAuthorizer } from './oauth-authorizer.ts';
import type { SignInPorts, SignInRequest } from './sign-in.ts';
import { TokenStore } from './token-store.ts';

const opened: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of opened.splice(0)) await close();
});

/** A server that is its own authorization server, credentials that are kept for it, and a person who is shown a request and says no. */
async function openServer(configured: OAuthSpec, metadata: object = {}, more: Partial<SignInPorts> = {}) {
  const server: HttpFixture = await new HttpFixture((reply) => {
    const { origin } = server;
    if (reply.seen.path.startsWith('/.well-known/oauth-protected-resource'))
      reply.json({ resource: server.url, scopes_supported: ['basic'] });
    else if (reply.seen.path === '/.well-known/oauth-authorization-server') {
      const endpoints = { authorization_endpoint: `${origin}/authorize`, token_endpoint: `${origin}/token` };
      reply.json({ issuer: origin, ...endpoints, code_challenge_methods_supported: ['S256'], ...metadata });
    } else reply.json({}, 404);
  }).listen();
  const pool = new HttpPool();
  opened.push(
    () => pool.destroy(),
    () => server.close(),
  );
  const store = new TokenStore(join(await mkdtemp(join(tmpdir(), 'bindery-requests-')), 'mcp-auth.json'));
  const url = new URL(server.url);
  const keep = (more: object) =>
    store.update('s', () => ({ access_token: 'old', client_id: 'c', url: url.href, issuer: server.origin, ...more }));
  const asked: SignInRequest[] = [];
  const person = {
    present: async (request: SignInRequest) => {
      asked.push(request);
      throw new Error('not now');
    },
    ...more,
  };
  const authorizer = new OAuthAuthorizer('s', url, configured, {
    store,
    dispatcher: pool.entry({}),
    registration: { clientName: 'test', clientMetadataUrl: undefined },
    now: Date.now,
    log: { debug() {}, info() {}, warn() {}, error() {} },
    turns: new Semaphore(1),
    person,
  });
  const challenge = (status: 401 | 403, wwwAuthenticate: string, attempt = 0) =>
    authorizer
      .challenged({ status, url, wwwAuthenticate, refused: 'Bearer old', attempt }, undefined)
      .catch(() => 'asked');
  return { server, keep, challenge, asked, scopes: () => asked.map(({ scope }) => scope) };
}

const MORE = 'Bearer error="insufficient_scope", scope="write"';

test('a further scope is requested together with those that this issuer granted, not with those of another', async () => {
  const own = await openServer({ clientId: 'c' });
  await own.keep({ scope: 'read' });
  await own.challenge(403, MORE);
  const foreign = await openServer({ clientId: 'c' });
  await foreign.keep({ scope: 'read', issuer: 'https://other.example' });
  await foreign.challenge(403, MORE);
  expect([own.scopes(), foreign.scopes()]).toEqual([['read write'], ['write']]);
});

test('a scope that was requested and refused again is not requested in a loop', async () => {
  const { keep, challenge, scopes } = await openServer({ clientId: 'c' });
  await keep({ scope: 'read' });
  expect([
    await challenge(403, MORE),
    await challenge(403, MORE),
    await challenge(403, 'Bearer error="insufficient_scope", scope="read"'),
    await challenge(403, 'Bearer error="insufficient_scope", scope="admin"'),
    scopes(),
  ]).toEqual(['asked', false, false, 'asked', ['read write', 'read write admin']]);
});

test('a refusal that is not about scope starts no sign-in', async () => {
  const { keep, challenge, asked } = await openServer({ clientId: 'c' });
  await keep({ scope: 'read' });
  expect([
    await challenge(403, 'Bearer error="invalid_token", scope="write"'),
    await challenge(401, 'Bearer', 3),
    asked,
  ]).toEqual([false, false, []]);
});

test('a sign-in requests the scope of the challenge, or else that of the resource', async () => {
  const { challenge, scopes } = await openServer({ clientId: 'c' });
  await challenge(401, 'Bearer scope="read"');
  await challenge(401, 'Bearer');
  expect(scopes()).toEqual(['read', 'basic']);
});

test.each([
  [{}, 'the server itself'],
  [{ resource: 'https://resource.example/mcp' }, 'https://resource.example/mcp'],
  [{ resource: false }, undefined],
] as const)('with %j the resource of a sign-in is %s', async (configured, resource) => {
  const { server, challenge, asked } = await openServer({ clientId: 'c', ...configured });
  await challenge(401, 'Bearer');
  const expected = resource === 'the server itself' ? server.url : resource;
  expect(
    asked.map((one) => [one.resource, new URL(one.authorizationUrl).searchParams.get('resource') ?? undefined]),
  ).toEqual([[expected, expected]]);
});

test.each([
  [{}, {}, 'basic', null],
  [{ scope: 'mine' }, { scopes_supported: ['offline_access'] }, 'mine', null],
  [{}, { scopes_supported: ['offline_access'] }, 'basic offline_access', 'consent'],
  [{ scope: 'mine offline_access' }, {}, 'mine offline_access', 'consent'],
] as const)(
  'with %j, and metadata %j, the scope is %s and the prompt %s',
  async (configured, metadata, scope, prompt) => {
    const { challenge, asked } = await openServer({ clientId: 'c', ...configured }, metadata);
    await challenge(401, 'Bearer');
    const [{ searchParams }] = asked.map(({ authorizationUrl }) => new URL(authorizationUrl)) as [URL];
    expect([searchParams.get('scope'), searchParams.get('prompt'), searchParams.get('client_id')]).toEqual([
      scope,
      prompt,
      'c',
    ]);
  },
);

test('a person sees where to sign in before being asked for the URL', async () => {
  const seen: string[] = [];
  const { challenge } = await openServer(
    { clientId: 'c' },
    {},
    {
      present: async () => {
        await new Promise((resolve) => setImmediate(resolve));
        seen.push('presented');
      },
      paste: async () => {
        seen.push('asked');
        throw new Error('no more');
      },
    },
  );
  await challenge(401, 'Bearer');
  expect(seen).toEqual(['presented', 'asked']);
});

test('a pasted text that is not a redirected URL, or belongs to another sign-in, is asked for again', async () => {
  const pasted = ['no address', 'http://127.0.0.1/?code=c&state=other', 'http://127.0.0.1/'];
  let asked = 0;
  const { challenge } = await openServer(
    { clientId: 'c' },
    {},
    {
      present: async () => {},
      paste: async () => {
        asked += 1;
        const text = pasted.shift();
        if (text === undefined) throw new Error('no more');
        return text;
      },
    },
  );
  expect([await challenge(401, 'Bearer'), asked]).toEqual(['asked', 4]);
});
