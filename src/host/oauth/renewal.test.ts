import { writeFile } from 'node:fs/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { OAuthWorld } from '../../../test/fixtures/oauth-world.ts';
import type { Challenge } from '../transports/http-sender.ts';
import { OAUTH_LIMITS as LIMITS } from './limits.ts';
import type { OAuthAuthorizer } from './oauth-authorizer.ts';
import { OAuthError } from './oauth-error.ts';
import type { StoredCredentials } from './token-store.ts';

let world: OAuthWorld;
beforeEach(async () => {
  world = await OAuthWorld.open();
  world.token.body = { access_token: 'new', refresh_token: 'next', expires_in: 60 };
});
afterEach(() => world.close());

/** What became of a challenge: true, false, or the message of its failure. */
const outcome = (authorizer: OAuthAuthorizer, more: Partial<Challenge> = {}) =>
  authorizer.challenged(world.challenge(more), undefined).catch((error: Error) => error.message);
const paths = () => world.attempts.splice(0).map(({ path }) => path);
const SIGN_IN = 'sign-in required: run `bindery mcp auth login s`';

test('a renewal replaces the tokens, keeps the client, and requests the same resource', async () => {
  const client = { client_id: 'c', client_secret: 'secret', auth_method: 'client_secret_post', redirect_uri: 'u' };
  await world.keep({
    ...client,
    ...{ access_token: 'old', refresh_token: 'r', expires_at: 1, renew_at: 1, token_type: 'mac', scope: 'read' },
    ...{ resource: 'https://resource.example/', theirs: 7 },
  });
  expect(await outcome(world.authorizer())).toBe(true);
  expect(world.attempts).toEqual([
    {
      path: '/token',
      authorization: undefined,
      sent: {
        grant_type: 'refresh_token',
        refresh_token: 'r',
        resource: 'https://resource.example/',
        client_id: 'c',
        client_secret: 'secret',
      },
    },
  ]);
  const kept = { ...client, url: world.url, issuer: world.origin, resource: 'https://resource.example/', theirs: 7 };
  expect(await world.store.get('s')).toEqual({
    ...kept,
    access_token: 'new',
    refresh_token: 'next',
    expires_at: world.now + 60_000,
    renew_at: world.now + 60_000 - 60_000 / LIMITS.renewBeforePart,
    token_type: 'Bearer',
    scope: 'read',
  });
  // Nothing of the token before stays where the next one says less.
  world.token.body = { access_token: 'newer', scope: 'less' };
  expect(await outcome(world.authorizer(), { refused: 'Bearer new' })).toBe(true);
  expect(await world.store.get('s')).toEqual({
    ...kept,
    access_token: 'newer',
    refresh_token: 'next',
    token_type: 'Bearer',
    scope: 'less',
  });
});

test('the configured client renews if none is stored, and a stored one takes precedence', async () => {
  const configured = { clientId: 'mine', clientSecret: 'my secret' };
  const sent = async (stored: object) => {
    await world.store.update('s', () => ({
      ...({ access_token: 'old', refresh_token: 'r', url: world.url, issuer: world.origin } as StoredCredentials),
      ...stored,
    }));
    await outcome(world.authorizer(configured));
    return world.attempts.pop()?.authorization;
  };
  const basic = (pair: string) => `Basic ${Buffer.from(pair).toString('base64')}`;
  expect([await sent({}), await sent({ client_id: 'c', client_secret: 'kept' })]).toEqual([
    basic('mine:my+secret'),
    basic('c:kept'),
  ]);
  // Where nobody knows it, the authorization server says so.
  await world.keep({ access_token: 'old', refresh_token: 'r', client_id: undefined });
  await outcome(world.authorizer());
  expect(world.attempts.pop()?.sent.client_id).toBe('');
});

test('a token is presented unchanged until shortly before it expires, then renewed once for all callers', async () => {
  const expires_at = world.now + 100_000;
  await world.keep({ access_token: 'old', refresh_token: 'r', expires_at });
  const authorizer = world.authorizer();
  expect([await authorizer.authorization(undefined), authorizer.authorization(undefined)]).toEqual([
    'Bearer old',
    'Bearer old',
  ]);
  world.now = expires_at - LIMITS.renewBeforeMs;
  expect([authorizer.authorization(undefined), paths()]).toEqual(['Bearer old', []]);
  world.now += 1;
  const all = [1, 2, 3].map(() => authorizer.authorization(undefined));
  expect(await Promise.all(all)).toEqual(['Bearer new', 'Bearer new', 'Bearer new']);
  expect(paths()).toEqual(['/token']);
  // Of one that says when it is renewed, that counts.
  world.now += 60_000 - 6_000;
  expect([authorizer.authorization(undefined), paths()]).toEqual(['Bearer new', []]);
  world.now += 1;
  await authorizer.authorization(undefined);
  expect(paths()).toEqual(['/token']);
});

test('an expiring token that cannot be renewed is presented anyway', async () => {
  await world.keep({ access_token: 'old', expires_at: world.now });
  const seen = [await world.authorizer().authorization(undefined), paths(), world.discoveries];
  await world.keep({ access_token: 'old', refresh_token: 'r', expires_at: world.now });
  world.token = { status: 500, body: {} };
  seen.push(await world.authorizer().authorization(undefined), paths());
  world.hasMetadata = false;
  seen.push(await world.authorizer().authorization(undefined), paths());
  expect(seen).toEqual(['Bearer old', [], 0, 'Bearer old', ['/token'], 'Bearer old', []]);
});

test('nothing is presented if nothing is stored, if it is for another URL, or if it cannot be read', async () => {
  const presented = () => world.authorizer().authorization(undefined);
  const seen = [await presented()];
  await world.keep({ access_token: 'old', url: `${world.url}2` });
  seen.push(await presented());
  await world.keep({ access_token: 'old' });
  seen.push(await presented());
  const unreadable = { ...world.store, get: () => Promise.reject(new Error('no disk')) } as never;
  const authorizer = world.authorizer({}, { store: unreadable });
  seen.push(await authorizer.authorization(undefined));
  expect(seen).toEqual([undefined, undefined, 'Bearer old', undefined]);
});

test('without a person a challenge reports that a sign-in is needed, without contacting an authorization server', async () => {
  const seen = [await outcome(world.authorizer())];
  seen.push(await outcome(world.authorizer(), { wwwAuthenticate: 'Basic realm="x"' }));
  seen.push(await outcome(world.authorizer(), { wwwAuthenticate: undefined, refused: undefined }));
  await world.keep({ access_token: 'old' });
  seen.push(await outcome(world.authorizer(), { wwwAuthenticate: undefined }));
  expect([seen, world.discoveries, paths()]).toEqual([[SIGN_IN, false, false, SIGN_IN], 0, []]);
});

test('a token that another caller obtained in the meantime is tried first', async () => {
  await world.keep({ access_token: 'old', refresh_token: 'r' });
  const authorizer = world.authorizer();
  await authorizer.authorization(undefined);
  await world.keep({ access_token: 'theirs', refresh_token: 'r2' });
  expect([await outcome(authorizer), authorizer.authorization(undefined), paths()]).toEqual([
    true,
    'Bearer theirs',
    [],
  ]);
  // And once it is known here, without a look.
  expect([await outcome(authorizer), await outcome(authorizer, { status: 403 }), paths()]).toEqual([true, true, []]);
});

test('a renewal by another process while this one waited for the lock is used, unless it expires too', async () => {
  for (const [renew_at, expected] of [
    [world.now + 1, []],
    [world.now - 1, ['/token']],
  ] as const) {
    await world.keep({ access_token: 'old', refresh_token: 'r', expires_at: world.now + 5, renew_at: world.now - 1 });
    const { store } = world;
    const slow = {
      get: (id: string) => store.get(id),
      update: store.update.bind(store),
      write: store.write.bind(store),
      locked: async <T>(work: () => Promise<T>) => {
        await world.keep({ access_token: 'theirs', refresh_token: 'r2', expires_at: world.now + 5, renew_at });
        return store.locked(work);
      },
    };
    const authorizer = world.authorizer({}, { store: slow });
    expect([await authorizer.authorization(undefined), paths()]).toEqual([
      expected.length === 0 ? 'Bearer theirs' : 'Bearer new',
      expected,
    ]);
  }
});

test.each([
  ['invalid_grant', { client_id: 'c', scope: 'read' }],
  ['invalid_client', undefined],
  ['unauthorized_client', undefined],
])('a renewal that fails with %s clears what cannot help any more', async (error, left) => {
  await world.keep({ access_token: 'old', refresh_token: 'r', expires_at: 1, renew_at: 1, scope: 'read' });
  world.token = { status: 400, body: { error } };
  const authorizer = world.authorizer();
  expect([await outcome(authorizer), authorizer.authorization(undefined)]).toEqual([SIGN_IN, undefined]);
  expect(await world.store.get('s')).toEqual(left && { ...left, url: world.url, issuer: world.origin });
  // Nothing is renewed a second time.
  expect([await outcome(world.authorizer()), paths()]).toEqual([SIGN_IN, ['/token']]);
});

test.each([
  ['temporarily_unavailable', 400, { kind: 'auth', signIn: false }],
  ['', 503, { kind: 'refused', signIn: false }],
])('a renewal that fails with %s and %i keeps the tokens for the next time', async (error, status, failure) => {
  await world.keep({ access_token: 'old', refresh_token: 'r' });
  world.token = { status, body: { error } };
  const before = await world.store.get('s');
  const authorizer = world.authorizer({}, { person: world.person() });
  await expect(authorizer.challenged(world.challenge(), undefined)).rejects.toMatchObject(failure);
  expect([await world.store.get('s'), world.asked]).toEqual([before, []]);
});

test('a renewed token that is refused is not renewed again; a person is asked once', async () => {
  await world.keep({ access_token: 'old', refresh_token: 'r' });
  const authorizer = world.authorizer({}, { person: world.person() });
  const seen = [await outcome(authorizer), paths()];
  world.token.body = { access_token: 'signed', refresh_token: 'next' };
  seen.push(await outcome(authorizer, { refused: 'Bearer new', attempt: 1 }), paths());
  seen.push(await outcome(authorizer, { refused: 'Bearer signed', attempt: 2 }), paths());
  expect(seen).toEqual([true, ['/token'], true, ['/authorize', '/token'], false, []]);
  // The next request begins anew.
  expect([await outcome(authorizer, { refused: 'Bearer signed' }), paths()]).toEqual([true, ['/token']]);
  // What was renewed since is not what the person got: they are asked again.
  const renewed = { refused: 'Bearer signed', attempt: 1 };
  expect([await outcome(authorizer, renewed), paths()]).toEqual([true, ['/authorize', '/token']]);
  expect([await outcome(authorizer, { refused: 'Bearer old', attempt: 3 }), paths()]).toEqual([false, []]);
});

test('without a known authorization server, the server’s refusal stands', async () => {
  world.hasMetadata = false;
  await world.keep({ access_token: 'old', refresh_token: 'r' });
  const authorizer = world.authorizer({}, { person: world.person() });
  expect([await outcome(authorizer), await outcome(authorizer, { attempt: 1 }), paths()]).toEqual([false, false, []]);
});

const LACKS = { status: 403, wwwAuthenticate: 'Bearer error="insufficient_scope", scope="write"' } as const;

test('a missing scope is stored for the next sign-in, in addition to earlier ones, and reported with the call', async () => {
  await world.keep({ access_token: 'old', scope: 'read', needed_scope: 'admin' });
  const authorizer = world.authorizer();
  await authorizer.authorization(undefined);
  await expect(authorizer.challenged(world.challenge(LACKS), undefined)).rejects.toMatchObject({
    ...{ kind: 'auth', status: 403, signIn: true, scope: 'write' },
    message: 'this call needs the scope "write": run `bindery mcp auth login s`',
  });
  expect((await world.store.get('s'))?.needed_scope).toBe('admin write');
  expect([
    await outcome(authorizer, { ...LACKS, wwwAuthenticate: 'Bearer error="invalid_token", scope="write"' }),
    await outcome(authorizer, { ...LACKS, wwwAuthenticate: 'Bearer error="insufficient_scope", scope="read"' }),
    await outcome(authorizer, { ...LACKS, wwwAuthenticate: 'Bearer error="insufficient_scope"' }),
    (await world.store.get('s'))?.needed_scope,
    world.discoveries,
  ]).toEqual([false, false, false, 'admin write', 0]);
});

test('a call that lacks a scope asks a person and does not renew, because the renewed token would lack it too', async () => {
  await world.keep({ access_token: 'old', refresh_token: 'r', scope: 'read' });
  world.token.body = { access_token: 'wider' };
  const authorizer = world.authorizer({}, { person: world.person() });
  await authorizer.authorization(undefined);
  expect(await outcome(authorizer, LACKS)).toBe(true);
  expect(world.attempts.map(({ path, sent }) => [path, sent.scope ?? sent.grant_type])).toEqual([
    ['/authorize', 'read write'],
    ['/token', 'authorization_code'],
  ]);
});

test('a missing scope is stored once, and not into credentials for another URL', async () => {
  await world.keep({ access_token: 'old' });
  const { store } = world;
  let updates = 0;
  const counting = {
    get: (id: string) => store.get(id),
    write: store.write.bind(store),
    locked: store.locked.bind(store),
    update: async (...args: Parameters<typeof store.update>) => {
      updates += 1;
      await store.update(...args);
    },
  };
  const authorizer = world.authorizer({}, { store: counting });
  await authorizer.authorization(undefined);
  await outcome(authorizer, LACKS);
  await outcome(authorizer, LACKS);
  expect(updates).toBe(1);
  await world.keep({ access_token: 'theirs', url: 'https://other.example/' });
  await outcome(authorizer, { ...LACKS, wwwAuthenticate: 'Bearer error="insufficient_scope", scope="more"' });
  expect([updates, (await store.get('s'))?.needed_scope]).toEqual([2, undefined]);
});

test('a call that lacks a scope fails for that reason even if the store fails, which is logged', async () => {
  await world.keep({ access_token: 'old' });
  const { store } = world;
  const failing = { ...store, get: (id: string) => store.get(id), update: () => Promise.reject(new Error('no disk')) };
  const authorizer = world.authorizer({}, { store: failing as never });
  await authorizer.authorization(undefined);
  await expect(authorizer.challenged(world.challenge(LACKS), undefined)).rejects.toMatchObject({ scope: 'write' });
  expect(world.log.lines).toMatchObject([{ level: 'warn', fields: { server: 's' } }]);
});

test('a very long list of scopes is shown in part', async () => {
  await world.keep({ access_token: 'old' });
  const authorizer = world.authorizer();
  await authorizer.authorization(undefined);
  const scope = Array.from({ length: 90 }, (_, index) => `scope-number-${index}`).join(' ');
  const failure = authorizer.challenged(
    world.challenge({ ...LACKS, wwwAuthenticate: `Bearer error="insufficient_scope", scope="${scope}"` }),
    undefined,
  );
  await expect(failure).rejects.toMatchObject({ scope: scope.slice(0, LIMITS.shownScopeChars) });
});

test('damaged credentials are reported with the sign-in that would replace them, and are not presented', async () => {
  await world.keep({ access_token: 'old' });
  const path = world.tokenFile;
  await writeFile(path, 'nonsense');
  const authorizer = world.authorizer();
  expect(await authorizer.authorization(undefined)).toBeUndefined();
  expect(await outcome(authorizer)).toMatch(
    /^sign-in required: run `bindery mcp auth login s` \(the token file is damaged/,
  );
  const failing = { ...world.store, get: () => Promise.reject(new OAuthError('store_unreadable', 'cannot be read')) };
  expect(await outcome(world.authorizer({}, { store: failing as never }))).toBe('cannot be read');
});
