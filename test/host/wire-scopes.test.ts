import { afterAll, beforeAll, expect, test } from 'vitest';
import type { SignInRequest } from '../../src/host/oauth/sign-in.ts';
import { TokenStore } from '../../src/host/oauth/token-store.ts';
import {
  type AuthorizationServer,
  personWithBrowser,
  startAuthorizationServer,
} from '../fixtures/authorization-server.ts';
import { http, textOf, World } from '../fixtures/connect.ts';
import { emptyStore, type GuardOptions, startGuardedServer } from '../fixtures/guarded-server.ts';

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

const callOf = (name: string) => ({ method: 'tools/call', params: { name, arguments: {} } });

/** Signed in with what the server asks for first, and nobody there to sign in again. */
async function signedIn(options: Partial<GuardOptions>) {
  const guard = await guarded(options);
  const { store, path } = await emptyStore();
  const host = world.host({ tokens: store });
  host.apply([http(guard.url)]);
  await host.settled();
  await host.login('http', personWithBrowser());
  return { ...guard, store, path, host };
}

test('[wire:STEPUP] a scope that one call lacks fails that call alone, with the scope, and the server stays', async () => {
  const { host, store } = await signedIn({ callScope: 'mcp:write', openTools: ['echo'] });
  const [refused, ...others] = await Promise.allSettled([
    host.request('http', callOf('write')),
    host.request('http', callOf('echo')),
    host.request('http', callOf('echo')),
  ]);
  expect(refused).toMatchObject({
    status: 'rejected',
    reason: {
      kind: 'auth',
      status: 403,
      scope: 'mcp:write',
      message: 'this call needs the scope "mcp:write": run `bindery mcp auth login http`',
    },
  });
  expect(others.map((one) => one.status === 'fulfilled' && textOf(one.value))).toEqual(['{}', '{}']);
  expect(host.statusOf('http')).toMatchObject({ state: 'ready', connected: true, tools: 1 });
  expect(await store.get('http')).toMatchObject({ needed_scope: 'mcp:write' });
});

test('[wire:STEPUP] the next login asks for what was granted and for what calls lacked, also in another process', async () => {
  const { host, url, path } = await signedIn({ callScope: 'mcp:write' });
  await expect(host.request('http', callOf('echo'))).rejects.toMatchObject({ scope: 'mcp:write' });
  const elsewhere = new TokenStore(path);
  const other = world.host({ tokens: elsewhere });
  other.apply([http(url)]);
  await other.settled();
  const asked: SignInRequest[] = [];
  await other.login('http', personWithBrowser(asked));
  expect(asked.map(({ scope }) => scope)).toEqual(['mcp:read mcp:write offline_access']);
  expect(textOf(await other.request('http', callOf('echo')))).toBe('{}');
  expect((await elsewhere.get('http'))?.needed_scope).toBeUndefined();
});

test('[wire:STEPUP] scopes that no authorization server knows do not come from a server to a person', async () => {
  const { host } = await signedIn({ callScope: 'mcp:\u009b2J ev\u00edl mcp:more' });
  await expect(host.request('http', callOf('echo'))).rejects.toMatchObject({ scope: 'mcp:more' });
});

test('[wire:OAUTH] a login asks for the scope that the challenge names, not for all that the server knows', async () => {
  const { url } = await guarded({
    metadata: { scopes_supported: ['mcp:read', 'mcp:write'] },
    challengeScope: 'mcp:read',
  });
  const host = world.host();
  host.apply([http(url)]);
  await host.settled();
  const asked: SignInRequest[] = [];
  await host.login('http', personWithBrowser(asked));
  expect(asked.map(({ scope }) => scope)).toEqual(['mcp:read offline_access']);
});

test('[wire:REFRESH] a token that lives for half a minute is used for most of it, not renewed with each request', async () => {
  const brief = world.keep(await startAuthorizationServer({ accessTokenTtlS: 30 }));
  const { url } = await guarded({ server: brief });
  let now = Date.now();
  const host = world.host({ person: personWithBrowser(), now: () => now });
  host.apply([http(url)]);
  await host.settled();
  for (let i = 0; i < 5; i++) await host.request('http', callOf('echo'));
  expect(brief.grants).toEqual(['authorization_code']);
  now += 28_000;
  await host.request('http', callOf('echo'));
  expect(brief.grants).toEqual(['authorization_code', 'refresh_token']);
});
