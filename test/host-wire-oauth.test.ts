import { mkdtemp, readFile, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { SignInRequest } from '../src/host/oauth/sign-in.ts';
import { type StoredCredentials, TokenStore } from '../src/host/oauth/token-store.ts';
import {
  type AuthorizationServer,
  personWithBrowser,
  startAuthorizationServer,
  walkThrough,
} from './fixtures/authorization-server.ts';
import { http, textOf, until, World } from './fixtures/connect.ts';
import { HttpFixture, legacyHttp } from './fixtures/servers/http-server.ts';

const world = new World();
let as: AuthorizationServer;
beforeAll(async () => {
  as = world.keep(await startAuthorizationServer());
});
afterAll(() => world.close());

const call = { method: 'tools/call', params: { name: 'echo', arguments: {} } };

interface GuardOptions {
  /** Null: the server names no authorization server. */
  readonly metadata?: object | null;
  readonly server?: AuthorizationServer;
  /** Scope that `tools/call` needs beyond a valid token. */
  readonly callScope?: string;
}

/** An MCP server behind an authorization server. */
async function guarded({ metadata = {}, server = as, callScope }: GuardOptions = {}) {
  const inner = legacyHttp();
  const revoked = new Set<string>();
  const fixture: HttpFixture = await new HttpFixture(async (reply) => {
    const { path, headers, message } = reply.seen;
    const known = `${fixture.origin}/.well-known/oauth-protected-resource/mcp`;
    if (path === '/.well-known/oauth-protected-resource/mcp' && metadata !== null) {
      reply.json({
        resource: fixture.url,
        authorization_servers: [server.issuer],
        scopes_supported: ['mcp:read'],
        ...metadata,
      });
    } else if (path.startsWith('/.well-known')) reply.json({}, 404);
    else {
      const scopes = revoked.has(headers.authorization ?? '')
        ? undefined
        : await server.scopesOf(headers.authorization);
      if (scopes === undefined) {
        const challenge = metadata === null ? 'Bearer' : `Bearer resource_metadata="${known}"`;
        reply.json({}, 401, { 'www-authenticate': challenge });
      } else if (message?.method === 'tools/call' && callScope !== undefined && !scopes.includes(callScope)) {
        reply.json({}, 403, { 'www-authenticate': `Bearer error="insufficient_scope", scope="${callScope}"` });
      } else inner(reply);
    }
  }).listen();
  world.keep(fixture);
  return { url: fixture.url, fixture, revoked };
}

async function emptyStore(): Promise<{ store: TokenStore; path: string }> {
  const path = join(await mkdtemp(join(tmpdir(), 'bindery-oauth-')), 'mcp-auth.json');
  return { store: new TokenStore(path), path };
}

const tokenOf = (entry: StoredCredentials | undefined) => `Bearer ${entry?.access_token}`;

test('[host-wire:OAUTH] a person signs in once; tokens are kept for the server, its URL and its issuer, readable by the owner only', async () => {
  const { url } = await guarded();
  const { store, path } = await emptyStore();
  const asked: SignInRequest[] = [];
  const host = world.host({ tokens: store, person: personWithBrowser(asked) });
  host.apply([http(url)]);
  await host.settled();
  expect(host.statusOf('http')).toMatchObject({ state: 'ready', tools: 1 });
  expect(asked[0]).toMatchObject({
    serverId: 'http',
    serverUrl: url,
    issuer: as.issuer,
    resource: url,
    scope: 'mcp:read offline_access',
  });
  expect(asked[0]?.redirectUri).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/mcp\/oauth\/callback$/);
  expect([(await stat(path)).mode & 0o777, JSON.parse(await readFile(path, 'utf8')).version]).toEqual([0o600, 1]);
  expect(await store.get('http')).toMatchObject({
    url,
    issuer: as.issuer,
    token_type: 'Bearer',
    resource: url,
    auth_method: 'none',
  });
  const again = world.host({ tokens: store });
  again.apply([http(url)]);
  await again.settled();
  expect([again.statusOf('http')?.state, asked.length]).toEqual(['ready', 1]);
});

test('[host-wire:OAUTH] without a person the server waits in auth_required, and a login settles it', async () => {
  const { url } = await guarded();
  const { store } = await emptyStore();
  const host = world.host({ tokens: store });
  host.apply([http(url)]);
  await host.settled();
  expect(host.statusOf('http')).toMatchObject({
    state: 'auth_required',
    reason: 'sign-in required: run `bindery mcp auth login http`',
  });
  await host.login('http', personWithBrowser());
  expect(host.statusOf('http')?.state).toBe('ready');
});

test('[host-wire:OAUTH] a server that names no authorization server is an error, and nobody is asked', async () => {
  const { url } = await guarded({ metadata: null });
  const asked: SignInRequest[] = [];
  const host = world.host({ person: personWithBrowser(asked) });
  host.apply([http(url)]);
  await host.settled();
  expect([host.statusOf('http')?.state, host.statusOf('http')?.lastError, asked]).toEqual([
    'error',
    'the server requires authorization (HTTP 401)',
    [],
  ]);
});

test('[host-wire:REFRESH] a refused token is renewed without a person, once for all requests and all hosts', async () => {
  const { url, revoked } = await guarded();
  const { store, path } = await emptyStore();
  const first = world.host({ tokens: store, person: personWithBrowser() });
  first.apply([http(url)]);
  await first.settled();
  const second = world.host({ tokens: new TokenStore(path) });
  second.apply([http(url)]);
  await second.settled();
  const before = as.grants.length;
  revoked.add(tokenOf(await store.get('http')));
  const results = await Promise.all([first, second, first, second, first].map((host) => host.request('http', call)));
  expect(results.map(textOf)).toEqual(Array(5).fill('{}'));
  expect(as.grants.slice(before)).toEqual(['refresh_token']);
});

test('[host-wire:REFRESH] a token is renewed before it expires', async () => {
  const { url, fixture } = await guarded();
  const { store } = await emptyStore();
  let now = Date.now();
  const host = world.host({ tokens: store, person: personWithBrowser(), now: () => now });
  host.apply([http(url)]);
  await host.settled();
  const old = tokenOf(await store.get('http'));
  now += 3_600_000 - 30_000;
  await host.request('http', call);
  const used = fixture.of('tools/call').map(({ headers }) => headers.authorization);
  expect(used).toEqual([tokenOf(await store.get('http'))]);
  expect(used).not.toEqual([old]);
});

test('[host-wire:REFRESH] a renewal that is refused clears the tokens, keeps the registration, and asks again', async () => {
  const { url, revoked } = await guarded();
  const { store } = await emptyStore();
  const host = world.host({ tokens: store });
  host.apply([http(url)]);
  await host.settled();
  await host.login('http', personWithBrowser());
  const entry = await store.get('http');
  revoked.add(tokenOf(entry));
  await (await as.provider.RefreshToken.find(entry?.refresh_token ?? ''))?.destroy();
  await expect(host.request('http', call)).rejects.toMatchObject({ kind: 'auth', signIn: true });
  const left = await store.get('http');
  expect([left?.access_token, left?.refresh_token, left?.client_id]).toEqual([undefined, undefined, entry?.client_id]);
  const registrations = as.registrations;
  await host.login('http', personWithBrowser());
  expect([textOf(await host.request('http', call)), as.registrations]).toEqual(['{}', registrations]);
});

test('[host-wire:REFRESH] an authorization server that is away costs no tokens', async () => {
  const own = await startAuthorizationServer();
  const { url, revoked } = await guarded({ server: own });
  const { store } = await emptyStore();
  const host = world.host({ tokens: store, person: personWithBrowser() });
  host.apply([http(url)]);
  await host.settled();
  const entry = await store.get('http');
  revoked.add(tokenOf(entry));
  await own.close();
  await expect(host.request('http', call)).rejects.toMatchObject({ kind: 'refused' });
  expect(await store.get('http')).toEqual(entry);
});

test('[host-wire:BOUND] tokens of one address are not sent to another', async () => {
  const { store } = await emptyStore();
  const first = await guarded();
  const host = world.host({ tokens: store, person: personWithBrowser() });
  host.apply([http(first.url)]);
  await host.settled();
  const thief = world.keep(await new HttpFixture(legacyHttp()).listen());
  host.apply([http(thief.url)]);
  await host.settled();
  expect([
    host.statusOf('http')?.state,
    thief.seen.filter(({ headers }) => headers.authorization !== undefined),
  ]).toEqual(['ready', []]);
});

test('[host-wire:BOUND] tokens and clients of one issuer are not shown to another', async () => {
  const other = world.keep(await startAuthorizationServer());
  const { store } = await emptyStore();
  const metadata: { authorization_servers?: string[] } = {};
  const asks: AuthorizationServer = Object.create(as, {
    scopesOf: { value: async (token: string) => (await as.scopesOf(token)) ?? (await other.scopesOf(token)) },
  });
  const { url, revoked } = await guarded({ metadata, server: asks });
  const host = world.host({ tokens: store, person: personWithBrowser() });
  host.apply([http(url)]);
  await host.settled();
  const before = await store.get('http');
  revoked.add(tokenOf(before));
  metadata.authorization_servers = [other.issuer];
  expect(textOf(await host.request('http', call))).toBe('{}');
  const after = await store.get('http');
  expect([after?.issuer, other.grants, other.registrations, after?.client_id === before?.client_id]).toEqual([
    other.issuer,
    ['authorization_code'],
    1,
    false,
  ]);
});

test('[host-wire:STEPUP] a call that needs more scope asks for it beside what was granted, once', async () => {
  const { url } = await guarded({ callScope: 'mcp:write' });
  const asked: SignInRequest[] = [];
  const { store } = await emptyStore();
  const host = world.host({ tokens: store, person: personWithBrowser(asked) });
  host.apply([http(url)]);
  await host.settled();
  expect(textOf(await host.request('http', call))).toBe('{}');
  expect(asked.map(({ scope }) => scope)).toEqual(['mcp:read offline_access', 'mcp:read mcp:write offline_access']);
  const never = await guarded({ callScope: 'mcp:never' });
  host.apply([http(never.url)]);
  await host.settled();
  await expect(host.request('http', call)).rejects.toMatchObject({ kind: 'auth', status: 403 });
  expect(asked.length).toBeLessThanOrEqual(4);
});

test('[host-wire:PASTE] the redirected URL can be pasted back; what does not fit is asked for again', async () => {
  const { url } = await guarded();
  const pasted: string[] = [];
  let redirected: string | undefined;
  const host = world.host({
    person: {
      timeoutMs: 20_000,
      present: async (request) => {
        redirected = await walkThrough(request.authorizationUrl, request.redirectUri);
      },
      paste: async () => {
        await until(() => redirected !== undefined);
        const texts = ['nonsense', 'http://127.0.0.1/mcp/oauth/callback?code=x&state=foreign', redirected ?? ''];
        pasted.push(texts[pasted.length] ?? '');
        return pasted.at(-1) ?? '';
      },
    },
  });
  host.apply([http(url)]);
  await host.settled();
  expect([host.statusOf('http')?.state, pasted.length]).toEqual(['ready', 3]);
});

test('[host-wire:LOOPBACK] hits without the state are answered without harm, and the flow goes on', async () => {
  const { url } = await guarded();
  const pages: { status: number; text: string; policy: string | null }[] = [];
  const person = personWithBrowser();
  const host = world.host({
    person: {
      ...person,
      present: async (request, signal) => {
        for (const query of [
          '?code=1&state=<script>alert(1)</script>',
          '?error=<img src=x onerror=alert(1)>&state=x',
          '',
        ]) {
          const response = await fetch(`${request.redirectUri}${query}`);
          pages.push({
            status: response.status,
            text: await response.text(),
            policy: response.headers.get('content-security-policy'),
          });
        }
        const cancel = request.redirectUri.replace('callback', 'cancel');
        pages.push({ status: (await fetch(cancel)).status, text: '', policy: "default-src 'none'" });
        await person.present(request, signal);
      },
    },
  });
  host.apply([http(url)]);
  await host.settled();
  expect(host.statusOf('http')?.state).toBe('ready');
  expect(pages.map(({ status }) => status)).toEqual([400, 400, 400, 400]);
  expect(pages.some(({ text }) => /<script|<img/.test(text))).toBe(false);
  expect(pages.every(({ policy }) => policy?.startsWith("default-src 'none'"))).toBe(true);
});

test('[host-wire:LOOPBACK] whoever knows the state can cancel, and the server then waits in auth_required', async () => {
  const { url } = await guarded();
  const host = world.host({
    person: {
      present: async ({ redirectUri, authorizationUrl }) => {
        const state = new URL(authorizationUrl).searchParams.get('state');
        await fetch(`${redirectUri.replace('callback', 'cancel')}?state=${state}`);
      },
    },
  });
  host.apply([http(url)]);
  await host.settled();
  expect(host.statusOf('http')).toMatchObject({
    state: 'auth_required',
    reason: 'the sign-in was cancelled in the browser',
  });
});

test('[host-wire:LOOPBACK] a person who does not sign in is waited for a while only', async () => {
  const { url } = await guarded();
  const host = world.host({ person: { present: async () => {}, timeoutMs: 100 } });
  host.apply([http(url)]);
  await host.settled();
  expect(host.statusOf('http')).toMatchObject({ state: 'auth_required', reason: 'nobody signed in in time' });
});

test('[host-wire:CLIENT] a configured client is used as it is, with its secret by Basic or in the body', async () => {
  const client = (id: string, method: string) => ({
    client_id: id,
    client_secret: 's3:cr+et %',
    token_endpoint_auth_method: method,
    redirect_uris: ['http://127.0.0.1/mcp/oauth/callback'],
    grant_types: ['authorization_code', 'refresh_token'],
    application_type: 'native',
  });
  const own = world.keep(
    await startAuthorizationServer({
      registration: false,
      clients: [client('basic', 'client_secret_basic'), client('post', 'client_secret_post')],
    }),
  );
  const { url } = await guarded({ server: own });
  const states: (string | undefined)[] = [];
  for (const clientId of ['basic', 'post', undefined]) {
    const host = world.host({ person: personWithBrowser() });
    host.apply([http(url, { oauth: clientId === undefined ? {} : { clientId, clientSecret: 's3:cr+et %' } })]);
    await host.settled();
    states.push(host.statusOf('http')?.reason ?? host.statusOf('http')?.state);
  }
  expect(states.slice(0, 2)).toEqual(['ready', 'ready']);
  expect(states[2]).toMatch(/registers no clients by itself: set oauth.client_id of this server$/);
});

test('[host-wire:CLIENT] a person can give a client id where the server registers none', async () => {
  const redirect_uris = ['http://127.0.0.1/mcp/oauth/callback'];
  const own = world.keep(
    await startAuthorizationServer({
      registration: false,
      clients: [
        {
          client_id: 'by-hand',
          token_endpoint_auth_method: 'none',
          redirect_uris,
          grant_types: ['authorization_code', 'refresh_token'],
          application_type: 'native',
        },
      ],
    }),
  );
  const { url } = await guarded({ server: own });
  const host = world.host({ person: { ...personWithBrowser(), askForClient: async () => ({ clientId: 'by-hand' }) } });
  host.apply([http(url)]);
  await host.settled();
  expect(host.statusOf('http')?.state).toBe('ready');
});

test('[host-wire:OAUTH] a fixed redirect URI and a taken port are kept to', async () => {
  const { url } = await guarded();
  const taken = world.keep(await new HttpFixture((reply) => reply.json({})).listen());
  const host = world.host({ person: personWithBrowser() });
  host.apply([http(url, { oauth: { callbackPort: Number(new URL(taken.origin).port) } })]);
  await host.settled();
  expect(host.statusOf('http')).toMatchObject({
    state: 'auth_required',
    reason: 'the port of the OAuth callback is taken',
  });
});

interface Bogus {
  readonly what: string;
  readonly resource?: object;
  readonly server?: (origin: string) => object;
  readonly message: string;
}

test.each<Bogus>([
  {
    what: 'says nothing of PKCE',
    server: () => ({ code_challenge_methods_supported: undefined }),
    message: 'does not say that it supports PKCE',
  },
  {
    what: 'is another one than its metadata says',
    server: () => ({ issuer: 'https://other.example' }),
    message: 'presents the metadata of another authorization server',
  },
  {
    what: 'sends the code to an insecure place',
    server: () => ({ token_endpoint: 'http://other.example/token' }),
    message: 'the token endpoint is not a secure URL',
  },
  {
    what: 'opens a script',
    server: () => ({ authorization_endpoint: 'javascript:alert(1)' }),
    message: 'the authorization endpoint is not a secure URL',
  },
  {
    what: 'is named by the metadata of another server',
    resource: { resource: 'https://other.example/mcp' },
    message: 'the resource metadata is about another server',
  },
])(
  '[host-wire:HOSTILE] an authorization server that $what is refused before anything opens',
  async ({ resource, server, message }) => {
    const bogus: HttpFixture = world.keep(
      await new HttpFixture((reply) => {
        if (reply.seen.path !== '/.well-known/oauth-authorization-server') return reply.json({}, 404);
        const endpoints = {
          authorization_endpoint: `${bogus.origin}/authorize`,
          token_endpoint: `${bogus.origin}/token`,
          registration_endpoint: `${bogus.origin}/register`,
        };
        reply.json({
          issuer: bogus.origin,
          code_challenge_methods_supported: ['S256'],
          ...endpoints,
          ...server?.(bogus.origin),
        });
      }).listen(),
    );
    const asked: SignInRequest[] = [];
    const { url } = await guarded({ metadata: { authorization_servers: [bogus.origin], ...resource } });
    const host = world.host({ person: personWithBrowser(asked) });
    host.apply([http(url)]);
    await host.settled();
    expect(host.statusOf('http')?.state).toBe('error');
    expect(host.statusOf('http')?.lastError).toContain(message);
    expect([asked, bogus.seen.filter(({ verb }) => verb === 'POST')]).toEqual([[], []]);
  },
);

test('[host-wire:STORE] a token file of another version is left as it is', async () => {
  const { store, path } = await emptyStore();
  await writeFile(path, '{"version": 2, "servers": {}}');
  await expect(store.update('a', () => ({ access_token: 'x' }))).rejects.toThrow('the token file is not of version 1');
  expect(await readFile(path, 'utf8')).toBe('{"version": 2, "servers": {}}');
});

test('[host-wire:STORE] unknown members are kept, and writers do not overwrite each other', async () => {
  const { path } = await emptyStore();
  await writeFile(path, JSON.stringify({ version: 1, note: 'mine', servers: { old: { access_token: 'o' } } }));
  const stores = Array.from({ length: 5 }, () => new TokenStore(path));
  await Promise.all(stores.map((store, i) => store.update(`s${i}`, () => ({ access_token: String(i) }))));
  const file = JSON.parse(await readFile(path, 'utf8'));
  expect([file.note, Object.keys(file.servers).sort()]).toEqual(['mine', ['old', 's0', 's1', 's2', 's3', 's4']]);
});
