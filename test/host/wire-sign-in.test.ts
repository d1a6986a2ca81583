import { afterAll, beforeAll, expect, test } from 'vitest';
import type { SignInRequest } from '../../src/host/oauth/sign-in.ts';
import {
  type AuthorizationServer,
  personWithBrowser,
  startAuthorizationServer,
  walkThrough,
} from '../fixtures/authorization-server.ts';
import { http, until, World } from '../fixtures/connect.ts';
import { type GuardOptions, startGuardedServer } from '../fixtures/guarded-server.ts';
import { HttpFixture } from '../fixtures/servers/http-server.ts';

const world = new World();
let as: AuthorizationServer;
beforeAll(async () => {
  as = world.keep(await startAuthorizationServer());
});
afterAll(() => world.close());

const guarded = async (options: Partial<GuardOptions> = {}) => {
  const guard = await startGuardedServer({ server: as, ...options });
  world.keep(guard.fixture);
  return guard;
};

test('[wire:PASTE] the redirected URL can be pasted back; what does not fit is asked for again', async () => {
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

test('[wire:LOOPBACK] hits without the state are answered without harm, and the flow goes on', async () => {
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

test('[wire:LOOPBACK] whoever knows the state can cancel, and the server then waits in auth_required', async () => {
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

test('[wire:OAUTH] several servers that need a sign-in ask one after the other, and hold up nobody', async () => {
  const servers = await Promise.all([guarded(), guarded(), guarded()]);
  const person = personWithBrowser();
  let atOnce = 0;
  let most = 0;
  const host = world.host({
    person: {
      ...person,
      present: async (request, signal) => {
        most = Math.max(most, ++atOnce);
        await person.present(request, signal);
        atOnce--;
      },
    },
  });
  host.apply(servers.map(({ url }, i) => http(url, { id: `s${i}` })));
  await host.settled();
  expect([host.status().map(({ state }) => state), most]).toEqual([['ready', 'ready', 'ready'], 1]);
});

test('[wire:CLOSE] a host that is closed while a person signs in ends at once and frees the port', async () => {
  const { url } = await guarded();
  let redirectUri = '';
  const host = world.host({
    person: {
      present: async (request, signal) => {
        redirectUri = request.redirectUri;
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
      },
    },
  });
  host.apply([http(url)]);
  await until(() => redirectUri !== '');
  await host.close();
  await expect(fetch(redirectUri)).rejects.toThrow();
});

test('[wire:LOOPBACK] a person who does not sign in is waited for a while only', async () => {
  const { url } = await guarded();
  const host = world.host({ person: { present: async () => {}, timeoutMs: 100 } });
  host.apply([http(url)]);
  await host.settled();
  expect(host.statusOf('http')).toMatchObject({ state: 'auth_required', reason: 'nobody signed in in time' });
});

test('[wire:CLIENT] a configured client is used as it is, with its secret by Basic or in the body', async () => {
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

test('[wire:CLIENT] a person can give a client id where the server registers none', async () => {
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
  const vague = world.host({ person: { ...personWithBrowser(), askForClient: async () => ({}) as never } });
  vague.apply([http(url)]);
  await vague.settled();
  expect(vague.statusOf('http')?.state).toBe('auth_required');
  const host = world.host({ person: { ...personWithBrowser(), askForClient: async () => ({ clientId: 'by-hand' }) } });
  host.apply([http(url)]);
  await host.settled();
  expect(host.statusOf('http')?.state).toBe('ready');
});

test('[wire:OAUTH] a fixed redirect URI and a taken port are kept to', async () => {
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
  '[wire:HOSTILE] an authorization server that $what is refused before anything opens',
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
