import { createHash } from 'node:crypto';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { OAuthWorld } from '../../../test/fixtures/oauth-world.ts';
import type { UpstreamError } from '../../wire/upstream.ts';
import { listenForCallback } from './callback-listener.ts';
import { OAUTH_LIMITS as LIMITS } from './limits.ts';

let world: OAuthWorld;
beforeEach(async () => {
  world = await OAuthWorld.open();
});
afterEach(() => world.close());

const TOKEN = { access_token: 'new', refresh_token: 'refresh', expires_in: 3_600, scope: 'read', token_type: 'Bearer' };
const codeOf = ({ cause }: UpstreamError) => (cause as { code?: string } | undefined)?.code;

test('a sign-in registers, asks, redeems the code and stores all that a renewal needs, and keeps unknown members', async () => {
  world.metadata = { registration_endpoint: `${world.origin}/register`, scopes_supported: ['offline_access'] };
  world.resource = { scopes_supported: ['basic', 'more'] };
  world.registration.body = {
    client_id: 'registered',
    client_secret: 'secret',
    client_secret_expires_at: 5_000_000,
    token_endpoint_auth_method: 'client_secret_post',
  };
  world.token.body = TOKEN;
  await world.store.update(
    's',
    () => ({ access_token: 'old', needed_scope: 'x', theirs: 7, url: 'https://other/' }) as never,
  );
  const authorizer = world.authorizer({}, { person: world.person() });
  expect(await authorizer.challenged(world.challenge(), undefined)).toBe(true);
  const [register, authorize, token] = world.attempts as [Attempted, Attempted, Attempted];
  const redirect = String(authorize.sent.redirect_uri);
  expect(redirect).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/mcp\/oauth\/callback$/);
  expect(register).toEqual({
    path: '/register',
    authorization: undefined,
    sent: {
      client_name: 'test',
      redirect_uris: [redirect],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
      application_type: 'native',
    },
  });
  const { state, code_challenge, ...asked } = authorize.sent;
  expect([String(state).length, asked]).toEqual([
    32,
    {
      response_type: 'code',
      client_id: 'registered',
      redirect_uri: redirect,
      code_challenge_method: 'S256',
      scope: 'basic more offline_access',
      resource: world.url,
      prompt: 'consent',
    },
  ]);
  const { code_verifier, ...redeemed } = token.sent;
  expect(createHash('sha256').update(String(code_verifier)).digest('base64url')).toBe(code_challenge);
  expect([String(code_verifier).length, redeemed]).toEqual([
    64,
    {
      grant_type: 'authorization_code',
      code: 'the code',
      redirect_uri: redirect,
      resource: world.url,
      client_id: 'registered',
      client_secret: 'secret',
    },
  ]);
  expect(world.asked).toMatchObject([
    { serverId: 's', serverUrl: world.url, issuer: world.origin, redirectUri: redirect, resource: world.url },
  ]);
  const { steps, origin } = world;
  expect(steps).toEqual([
    { name: 'register', state: 'running' },
    { name: 'register', state: 'done', detail: 'registered' },
    { name: 'consent', state: 'running', detail: origin },
    { name: 'consent', state: 'done', detail: origin },
    { name: 'token', state: 'running', detail: origin },
    { name: 'token', state: 'done', detail: origin },
  ]);
  expect(await world.store.get('s')).toEqual({
    theirs: 7,
    access_token: 'new',
    refresh_token: 'refresh',
    expires_at: world.now + 3_600_000,
    renew_at: world.now + 3_600_000 - LIMITS.renewBeforeMs,
    token_type: 'Bearer',
    scope: 'read',
    client_id: 'registered',
    client_secret: 'secret',
    client_secret_expires_at: 5_000_000_000,
    auth_method: 'client_secret_post',
    redirect_uri: redirect,
    url: world.url,
    issuer: origin,
    resource: world.url,
  });
  expect(authorizer.authorization(undefined)).toBe('Bearer new');
});
type Attempted = OAuthWorld['attempts'][number];

test('a minimal token answer is stored with the requested scope', async () => {
  world.token.body = { access_token: 'new' };
  await world
    .authorizer({ clientId: 'c', resource: false }, { person: world.person() })
    .challenged(world.challenge({ wwwAuthenticate: 'Bearer scope="asked"' }), undefined);
  expect(await world.store.get('s')).toEqual({
    access_token: 'new',
    token_type: 'Bearer',
    scope: 'asked',
    client_id: 'c',
    redirect_uri: expect.any(String),
    url: world.url,
    issuer: world.origin,
  });
  expect(world.attempts.map(({ path, sent }) => [path, sent.resource])).toEqual([
    ['/authorize', undefined],
    ['/token', undefined],
  ]);
});

test.each<[string, Readonly<Record<string, string>>, object, string]>([
  ['is refused', { error: 'access_denied' }, {}, 'access_denied'],
  ['brings no code', {}, {}, 'no_code'],
  ['comes from another issuer', { code: 'c', iss: 'https://evil.example' }, {}, 'issuer_mismatch'],
  [
    'lacks the issuer that it must have',
    { code: 'c' },
    { authorization_response_iss_parameter_supported: true },
    'issuer_missing',
  ],
])(
  'a redirect that %s ends the sign-in before any token is asked for, and nothing is kept',
  async (_what, redirect, metadata, code) => {
    world.redirect = redirect;
    world.metadata = metadata;
    const authorizer = world.authorizer({ clientId: 'c' }, { person: world.person() });
    const failure = await authorizer.challenged(world.challenge(), undefined).catch((error: UpstreamError) => error);
    expect([codeOf(failure as UpstreamError), world.attempts.map(({ path }) => path)]).toEqual([code, ['/authorize']]);
    expect(await world.store.get('s')).toBeUndefined();
  },
);

test('a client that the authorization server no longer knows is deleted, and the next sign-in registers again', async () => {
  world.metadata = { registration_endpoint: `${world.origin}/register` };
  await world.keep({ access_token: 'old', refresh_token: 'r', theirs: 7 });
  world.token = { status: 401, body: { error: 'invalid_client' } };
  const authorizer = world.authorizer({}, { person: world.person() });
  const failure = await authorizer.challenged(world.challenge(), undefined).catch((error: UpstreamError) => error);
  expect(codeOf(failure as UpstreamError)).toBe('invalid_client');
  expect(world.attempts.map(({ path, sent }) => [path, sent.client_id ?? sent.client_name])).toEqual([
    ['/token', 'c'],
    ['/register', 'test'],
    ['/authorize', 'registered'],
    ['/token', 'registered'],
  ]);
  expect([await world.store.get('s'), authorizer.authorization(undefined)]).toEqual([{}, undefined]);
});

test.each(['invalid_client', 'unauthorized_client'])(
  'a sign-in that fails with %s leaves only what others put there',
  async (error) => {
    await world.keep({ access_token: 'old', theirs: 7 });
    world.token = { status: 400, body: { error } };
    const authorizer = world.authorizer({}, { person: world.person() });
    await expect(authorizer.challenged(world.challenge(), undefined)).rejects.toMatchObject({ kind: 'auth' });
    expect(await world.store.get('s')).toEqual({ theirs: 7 });
  },
);

test('a sign-in that fails for another reason keeps the stored credentials', async () => {
  await world.keep({ access_token: 'old' });
  world.token = { status: 400, body: { error: 'invalid_request' } };
  const before = await world.store.get('s');
  const authorizer = world.authorizer({}, { person: world.person() });
  await expect(authorizer.challenged(world.challenge(), undefined)).rejects.toMatchObject({ signIn: false });
  expect([await world.store.get('s'), authorizer.authorization(undefined)]).toEqual([before, 'Bearer old']);
});

test('a sign-in that a person starts ignores stored tokens, and requests the granted, challenged and missing scopes of this issuer', async () => {
  world.token.body = TOKEN;
  world.resource = { scopes_supported: ['basic'] };
  await world.keep({ access_token: 'old', scope: 'read', needed_scope: 'write' });
  await world.authorizer().signIn(world.person(), undefined);
  await world.keep({ access_token: 'old', scope: 'read', needed_scope: 'write', issuer: 'https://other.example' });
  await world.authorizer({ clientId: 'c' }).signIn(world.person(), undefined);
  await world.keep({});
  const refused = world.authorizer({ clientId: 'c' });
  const challenge = world.challenge({ wwwAuthenticate: 'Bearer scope="named"' });
  await expect(refused.challenged(challenge, undefined)).rejects.toMatchObject({ signIn: true });
  await refused.signIn(world.person(), undefined);
  expect(world.asked.map(({ scope }) => scope)).toEqual(['read basic write', 'basic', 'named']);
  expect(world.steps.slice(0, 2)).toEqual([
    { name: 'discover', state: 'running' },
    { name: 'discover', state: 'done', detail: world.origin },
  ]);
  world.hasMetadata = false;
  await expect(world.authorizer().signIn(world.person(), undefined)).rejects.toMatchObject({ code: 'no_metadata' });
});

test('a cancelled sign-in and one that times out have different errors, and both free their port', async () => {
  const given = new AbortController();
  const ports: number[] = [];
  const waiting = (more: object) => ({
    ...world.person(more),
    present: async ({ redirectUri }: { redirectUri: string }) => {
      ports.push(Number(new URL(redirectUri).port));
      if (!('timeoutMs' in more)) given.abort();
    },
  });
  const authorizer = world.authorizer({ clientId: 'c' });
  await expect(authorizer.signIn(waiting({}), given.signal)).rejects.toMatchObject({ code: 'cancelled' });
  await expect(authorizer.signIn(waiting({ timeoutMs: 20 }), undefined)).rejects.toMatchObject({ code: 'timed_out' });
  const failing = { ...world.person(), present: () => Promise.reject(new Error('no browser')) };
  await expect(authorizer.signIn(failing, undefined)).rejects.toMatchObject({ code: 'failed' });
  for (const port of ports) {
    const listener = await listenForCallback(port);
    expect(listener).toBeDefined();
    listener?.close();
  }
  expect(world.attempts).toEqual([]);
});

test('the callback uses the port of the entry, of the person, or of the registration, else a free one', async () => {
  const free = await listenForCallback(0);
  const port = Number(new URL(free?.redirectUri ?? '').port);
  free?.close();
  const redirect = `http://127.0.0.1:${port}/mcp/oauth/callback`;
  const asked = async (configured: object, person: object = {}) => {
    world.token.body = TOKEN;
    await world.authorizer({ clientId: 'c', ...configured }).signIn(world.person(person), undefined);
    return world.asked.at(-1)?.redirectUri;
  };
  expect([
    await asked({}, { callbackPort: port }),
    await asked({ callbackPort: port }, { callbackPort: 1 }),
    await asked({ redirectUri: `http://localhost:${port}/own` }),
  ]).toEqual([redirect, redirect, `http://localhost:${port}/own`]);
  await world.keep({ redirect_uri: redirect });
  expect([await asked({}), await asked({}, { callbackPort: 0 })]).toEqual([redirect, redirect]);
  await world.keep({ redirect_uri: redirect, issuer: 'https://other.example' });
  expect(await asked({})).not.toBe(redirect);
  await world.keep({ redirect_uri: redirect });
  const taken = await listenForCallback(port);
  expect(await asked({})).not.toBe(redirect);
  await expect(asked({ callbackPort: port })).rejects.toMatchObject({ code: 'port_taken' });
  taken?.close();
});

test('an answer can arrive by another way than the loopback if the redirect fits', async () => {
  world.token.body = TOKEN;
  const used: string[] = [];
  const callback = (redirectUri: string) => () => ({
    redirectUri,
    waitFor: async (state: string) => {
      used.push('remote');
      return new URLSearchParams({ state, code: 'c' });
    },
    finish: (error: unknown) => used.push(error === undefined ? 'well' : 'badly'),
    close: () => used.push('closed'),
  });
  const present = async () => {};
  const remote = 'https://gateway.example/callback';
  await world.authorizer({ clientId: 'c' }).signIn({ present, callback: callback(remote) }, undefined);
  await world
    .authorizer({ clientId: 'c', redirectUri: remote })
    .signIn({ present, callback: callback(remote) }, undefined);
  expect(used).toEqual(['remote', 'well', 'closed', 'remote', 'well', 'closed']);
  // An entry with a redirect of its own elsewhere, and nobody who can paste the answer.
  const own = world.authorizer({ clientId: 'c', redirectUri: 'https://own.example/callback' });
  await expect(own.signIn({ present, callback: callback(remote) }, undefined)).rejects.toMatchObject({
    code: 'port_taken',
  });
  const paste = async ({ authorizationUrl }: { authorizationUrl: string }) =>
    `https://own.example/callback?code=pasted&state=${new URL(authorizationUrl).searchParams.get('state')}`;
  await own.signIn({ present, paste }, undefined);
  expect(world.attempts.map(({ sent }) => [sent.code, sent.redirect_uri])).toEqual([
    ['c', remote],
    ['c', remote],
    ['pasted', 'https://own.example/callback'],
  ]);
  await world
    .authorizer({ clientId: 'c', callbackPort: 0 })
    .signIn(world.person({ callback: callback(remote) }), undefined);
  expect([used.length, world.asked.at(-1)?.redirectUri.startsWith('http://127.0.0.1')]).toEqual([6, true]);
});

test('the functions that show and read the URL are aborted when the sign-in ends, however it ends', async () => {
  const signals: AbortSignal[] = [];
  const present = world.person().present;
  const watched = (show: typeof present) => ({
    present: async (request: Parameters<typeof present>[0], signal: AbortSignal) => {
      signals.push(signal);
      await show(request, signal);
    },
    paste: (_request: unknown, signal: AbortSignal) => {
      signals.push(signal);
      return new Promise<string>(() => {});
    },
  });
  world.token.body = TOKEN;
  const authorizer = world.authorizer({ clientId: 'c' });
  await authorizer.signIn(watched(present), undefined);
  await authorizer
    .signIn(
      watched(() => Promise.reject(new Error('no browser'))),
      undefined,
    )
    .catch(() => undefined);
  // Where nothing could be shown, nobody is asked for the address.
  expect(signals.map(({ aborted }) => aborted)).toEqual([true, true, true]);
});
