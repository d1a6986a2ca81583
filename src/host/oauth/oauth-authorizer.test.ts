import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { until } from '../../../test/fixtures/connect.ts';
import { HttpFixture } from '../../../test/fixtures/servers/http-server.ts';
import { Semaphore } from '../connection/pool/semaphore.ts';
import { HttpPool } from '../transports/http-pool.ts';
import { OAuthAuthorizer, type OAuthPorts } from './oauth-authorizer.ts';
import { TokenStore } from './token-store.ts';

const opened: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of opened.splice(0)) await close();
});

/** A store whose disk can be full. */
class FallibleStore extends TokenStore {
  isFull = false;

  override async write(...args: Parameters<TokenStore['write']>): Promise<void> {
    if (this.isFull) throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
    await super.write(...args);
  }
}

function portsFor(store: TokenStore, pool: HttpPool): OAuthPorts {
  return {
    store,
    dispatcher: pool.entry({}),
    registration: { clientName: 'test', clientMetadataUrl: undefined },
    now: Date.now,
    log: { debug() {}, info() {}, warn() {}, error() {} },
    turns: new Semaphore(1),
    person: undefined,
  };
}

/** An authorization server that takes each refresh token once and answers when it is let, and a server whose token ends soon. */
async function openRenewal(more: Partial<OAuthPorts> = {}) {
  const grants: string[] = [];
  let valid = 'refresh-1';
  let letAnswer = () => {};
  const answering = new Promise<void>((resolve) => {
    letAnswer = resolve;
  });
  const server = await new HttpFixture(async (reply) => {
    const { origin } = server;
    if (reply.seen.path.startsWith('/.well-known/oauth-authorization-server')) {
      const endpoints = { authorization_endpoint: `${origin}/authorize`, token_endpoint: `${origin}/token` };
      reply.json({ issuer: origin, ...endpoints, code_challenge_methods_supported: ['S256'] });
    } else if (reply.seen.path === '/token') {
      const spent = new URLSearchParams(reply.seen.body).get('refresh_token') ?? '';
      const isGood = spent === valid;
      grants.push(spent);
      const number = grants.length + 1;
      if (isGood) valid = `refresh-${number}`;
      await answering;
      if (!isGood) reply.json({ error: 'invalid_grant' }, 400);
      else reply.json({ access_token: `access-${number}`, refresh_token: valid, token_type: 'Bearer', expires_in: 60 });
    } else reply.json({}, 404);
  }).listen();
  const pool = new HttpPool();
  opened.push(
    () => pool.destroy(),
    () => server.close(),
  );
  const store = new FallibleStore(join(await mkdtemp(join(tmpdir(), 'bindery-renewal-')), 'mcp-auth.json'));
  const url = new URL(server.url);
  const kept = { access_token: 'access-1', client_id: 'c', url: url.href, issuer: server.origin };
  await store.update('s', () => ({ ...kept, refresh_token: 'refresh-1', expires_at: Date.now() + 5_000 }));
  const said: string[] = [];
  const log = {
    debug() {},
    info: (line: string) => said.push(line),
    warn() {},
    error: (line: string) => said.push(line),
  };
  const authorizer = new OAuthAuthorizer('s', url, {}, { ...portsFor(store, pool), log, ...more });
  const refused = { status: 401, url, wwwAuthenticate: 'Bearer', refused: 'Bearer access-1', attempt: 0 } as const;
  return { authorizer, store, grants, said, refused, letAnswer, spoil: () => (valid = 'another') };
}

test('a renewal continues for other callers if the call that started it is cancelled', async () => {
  const { authorizer, store, grants, letAnswer } = await openRenewal();
  const first = new AbortController();
  const cancelled = authorizer.authorization(first.signal);
  const waiting = authorizer.authorization(new AbortController().signal);
  await until(() => grants.length > 0);
  first.abort();
  // It does not wait for what it no longer wants.
  await cancelled;
  letAnswer();
  expect([await waiting, grants, (await store.get('s'))?.refresh_token]).toEqual([
    'Bearer access-2',
    ['refresh-1'],
    'refresh-2',
  ]);
});

test('a renewal that only a cancelled call waited for is kept for the next one', async () => {
  const { authorizer, store, grants, refused, letAnswer } = await openRenewal();
  const only = new AbortController();
  const cancelled = authorizer.challenged(refused, only.signal);
  await until(() => grants.length > 0);
  only.abort();
  await expect(cancelled).rejects.toMatchObject({ kind: 'cancelled' });
  letAnswer();
  expect([await authorizer.challenged(refused, undefined), grants, (await store.get('s'))?.refresh_token]).toEqual([
    true,
    ['refresh-1'],
    'refresh-2',
  ]);
});

test('a cancelled call starts no sign-in', async () => {
  const asked: unknown[] = [];
  const person = { present: async (request: unknown) => void asked.push(request) };
  const { authorizer, grants, refused, letAnswer, spoil } = await openRenewal({ person });
  spoil();
  const first = new AbortController();
  const cancelled = authorizer.challenged(refused, first.signal);
  const waiting = authorizer.challenged(refused, undefined);
  await until(() => grants.length > 0);
  first.abort();
  letAnswer();
  await expect(cancelled).rejects.toMatchObject({ kind: 'cancelled' });
  await expect(waiting).rejects.toMatchObject({ kind: 'auth', signIn: true });
  expect(asked).toEqual([]);
});

test('renewed tokens that cannot be stored are still used and renewed, and that is logged once', async () => {
  let now = Date.now();
  const { authorizer, store, grants, said, letAnswer } = await openRenewal({ now: () => now });
  letAnswer();
  store.isFull = true;
  const presented: unknown[] = [await authorizer.authorization(undefined)];
  now += 60_000;
  presented.push(await authorizer.authorization(undefined));
  expect([presented, said, (await store.get('s'))?.refresh_token]).toEqual([
    ['Bearer access-2', 'Bearer access-3'],
    ['renewed tokens of s cannot be stored: they last as long as this process'],
    'refresh-1',
  ]);
  store.isFull = false;
  now += 60_000;
  presented.push(await authorizer.authorization(undefined));
  expect([presented.at(-1), said.at(-1), grants, (await store.get('s'))?.refresh_token]).toEqual([
    'Bearer access-4',
    'renewed tokens of s are stored again',
    ['refresh-1', 'refresh-2', 'refresh-3'],
    'refresh-4',
  ]);
});

test('tokens that another process stored replace renewed tokens that could not be stored', async () => {
  const { authorizer, store, grants, refused, letAnswer } = await openRenewal();
  letAnswer();
  store.isFull = true;
  const presented = [await authorizer.authorization(undefined)];
  store.isFull = false;
  const stored = await store.get('s');
  const theirs = { access_token: 'theirs', refresh_token: 'theirs', expires_at: Date.now() + 600_000 };
  await store.update('s', () => ({ ...stored, ...theirs }));
  const isSettled = await authorizer.challenged({ ...refused, refused: 'Bearer access-2' }, undefined);
  presented.push(await authorizer.authorization(undefined));
  expect([isSettled, presented, grants]).toEqual([true, ['Bearer access-2', 'Bearer theirs'], ['refresh-1']]);
});

/** A server that names its authorization server, and two of those that note what comes to their token endpoints. */
async function openIssuers() {
  const named = { issuer: '' };
  const tokenRequests: string[] = [];
  let beforeMetadata: () => Promise<void> = async () => {};
  const issuerOf = async () => {
    const issuer: HttpFixture = await new HttpFixture(async (reply) => {
      const { origin } = issuer;
      if (reply.seen.path.startsWith('/.well-known/oauth-authorization-server')) {
        await beforeMetadata();
        const endpoints = { authorization_endpoint: `${origin}/authorize`, token_endpoint: `${origin}/token` };
        reply.json({ issuer: origin, ...endpoints, code_challenge_methods_supported: ['S256'] });
      } else if (reply.seen.path === '/token') {
        tokenRequests.push(`${origin} ${new URLSearchParams(reply.seen.body).get('refresh_token')}`);
        reply.json({ access_token: 'new', token_type: 'Bearer' });
      } else reply.json({}, 404);
    }).listen();
    opened.push(() => issuer.close());
    return issuer.origin;
  };
  const [one, two] = [await issuerOf(), await issuerOf()];
  const server = await new HttpFixture((reply) => {
    if (!reply.seen.path.startsWith('/.well-known/oauth-protected-resource')) reply.json({}, 404);
    else reply.json({ resource: server.url, authorization_servers: [named.issuer] });
  }).listen();
  const pool = new HttpPool();
  opened.push(
    () => pool.destroy(),
    () => server.close(),
  );
  const store = new TokenStore(join(await mkdtemp(join(tmpdir(), 'bindery-issuers-')), 'mcp-auth.json'));
  const url = new URL(server.url);
  const keep = (issuer: string, more: object = {}) =>
    store.update('s', () => ({
      access_token: 'old',
      refresh_token: `refresh of ${issuer}`,
      client_id: 'c',
      url: url.href,
      issuer,
      ...more,
    }));
  const authorizer = new OAuthAuthorizer('s', url, {}, portsFor(store, pool));
  const refused = { status: 401, url, wwwAuthenticate: 'Bearer', refused: 'Bearer old', attempt: 0 } as const;
  const onMetadata = (work: () => Promise<void>) => {
    beforeMetadata = async () => {
      beforeMetadata = async () => {};
      await work();
    };
  };
  return { authorizer, named, one, two, keep, refused, tokenRequests, onMetadata };
}

test('a refresh token goes to the issuer that issued it', async () => {
  const { authorizer, named, one, keep, refused, tokenRequests } = await openIssuers();
  named.issuer = one;
  await keep(one);
  expect([await authorizer.challenged(refused, undefined), tokenRequests]).toEqual([
    true,
    [`${one} refresh of ${one}`],
  ]);
});

test('a refresh token is not sent to another issuer that the server names now, neither after a refusal nor before it expires', async () => {
  const { authorizer, named, one, two, keep, refused, tokenRequests } = await openIssuers();
  named.issuer = two;
  await keep(one, { expires_at: Date.now() + 5_000 });
  expect(await authorizer.authorization(undefined)).toBe('Bearer old');
  await expect(authorizer.challenged(refused, undefined)).rejects.toMatchObject({ signIn: true });
  expect(tokenRequests).toEqual([]);
});

test('a refresh token of another issuer, stored by another process in the meantime, is not sent to this one', async () => {
  const { authorizer, named, one, two, keep, refused, tokenRequests, onMetadata } = await openIssuers();
  named.issuer = one;
  await keep(one);
  onMetadata(() => keep(two));
  await expect(authorizer.challenged(refused, undefined)).rejects.toMatchObject({ signIn: true });
  expect(tokenRequests).toEqual([]);
});

test('an expired client secret is not sent, and a valid one is', async () => {
  const { authorizer, named, one, keep, refused, tokenRequests } = await openIssuers();
  named.issuer = one;
  await keep(one, { client_secret: 'secret', client_secret_expires_at: Date.now() });
  await expect(authorizer.challenged(refused, undefined)).rejects.toMatchObject({ signIn: true });
  expect(tokenRequests).toEqual([]);
  await keep(one, { client_secret: 'secret', client_secret_expires_at: Date.now() + 600_000 });
  expect([await authorizer.challenged(refused, undefined), tokenRequests.length]).toEqual([true, 1]);
});
