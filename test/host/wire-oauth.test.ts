import { execFile, spawn } from 'node:child_process';
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { memoryTokens } from '../../src/host/oauth/memory-tokens.ts';
import type { SignInRequest } from '../../src/host/oauth/sign-in.ts';
import { type StoredCredentials, TokenStore } from '../../src/host/oauth/token-store.ts';
import {
  type AuthorizationServer,
  personWithBrowser,
  startAuthorizationServer,
} from '../fixtures/authorization-server.ts';
import { http, textOf, World } from '../fixtures/connect.ts';
import { emptyStore, type GuardOptions, startGuardedServer } from '../fixtures/guarded-server.ts';
import { HttpFixture, legacyHttp } from '../fixtures/servers/http-server.ts';

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

const call = { method: 'tools/call', params: { name: 'echo', arguments: {} } };
const tokenOf = (entry: StoredCredentials | undefined) => `Bearer ${entry?.access_token}`;

test('[wire:OAUTH] a person signs in once; tokens are kept for the server, its URL and its issuer, readable by the owner only', async () => {
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

test('[wire:OAUTH] without a person the server waits in auth_required, and a login settles it', async () => {
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

test('[wire:OAUTH] where sign-ins last as long as the process, the hint names no command', async () => {
  const { url } = await guarded();
  const host = world.host({ tokens: memoryTokens() });
  host.apply([http(url)]);
  await host.settled();
  expect(host.statusOf('http')?.reason).toBe('sign-in required: call `login` of the host for http');
});

test('[wire:OAUTH] a server that names no authorization server is an error, and nobody is asked', async () => {
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

test('[wire:REFRESH] a refused token is renewed without a person, once for all requests and all hosts', async () => {
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

test('[wire:REFRESH] a token is renewed before it expires', async () => {
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

test('[wire:REFRESH] a renewal that is refused clears the tokens, keeps the registration, and asks again', async () => {
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
  expect(host.statusOf('http')).toMatchObject({ state: 'auth_required', connected: false });
  const left = await store.get('http');
  expect([left?.access_token, left?.refresh_token, left?.client_id]).toEqual([undefined, undefined, entry?.client_id]);
  const registrations = as.registrations;
  await host.login('http', personWithBrowser());
  expect([textOf(await host.request('http', call)), as.registrations]).toEqual(['{}', registrations]);
});

test('[wire:REFRESH] an authorization server that is away costs no tokens', async () => {
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

test('[wire:BOUND] tokens of one address are not sent to another', async () => {
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

test('[wire:BOUND] tokens and clients of one issuer are not shown to another', async () => {
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

test('[wire:STEPUP] a call that needs more scope asks for it beside what was granted, once', async () => {
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

test('[wire:STORE] a token file of another version is left as it is', async () => {
  const { store, path } = await emptyStore();
  await writeFile(path, '{"version": 2, "servers": {}}');
  await expect(store.update('a', () => ({ access_token: 'x' }))).rejects.toThrow('the token file is not of version 1');
  expect(await readFile(path, 'utf8')).toBe('{"version": 2, "servers": {}}');
});

test('[wire:STORE] a damaged token file keeps nobody from servers that need no token, and a login sets it aside', async () => {
  const { store, path } = await emptyStore();
  await writeFile(path, 'nonsense');
  const server = world.keep(await new HttpFixture(legacyHttp()).listen());
  const host = world.host({ tokens: store });
  host.apply([http(server.url, { id: 'open' }), http((await guarded()).url, { id: 'closed' })]);
  await host.settled();
  expect(host.status().map(({ id, state, lastError }) => [id, state, lastError])).toEqual([
    [
      'closed',
      'auth_required',
      'sign-in required: run `bindery mcp auth login closed` (the token file is damaged; the next sign-in, or `bindery mcp auth clear`, sets it aside)',
    ],
    ['open', 'ready', undefined],
  ]);
  await host.login('closed', personWithBrowser());
  const files = (await readdir(dirname(path))).sort();
  expect([host.statusOf('closed')?.state, files]).toEqual([
    'ready',
    ['mcp-auth.json', expect.stringMatching(/^mcp-auth\.json\.damaged-\d+$/)],
  ]);
  expect(await readFile(join(dirname(path), files[1] ?? ''), 'utf8')).toBe('nonsense');
});

test('[wire:STORE] unknown members are kept, and writers do not overwrite each other', async () => {
  const { path } = await emptyStore();
  await writeFile(path, JSON.stringify({ version: 1, note: 'mine', servers: { old: { access_token: 'o' } } }));
  const stores = Array.from({ length: 5 }, () => new TokenStore(path));
  await Promise.all(stores.map((store, i) => store.update(`s${i}`, () => ({ access_token: String(i) }))));
  const file = JSON.parse(await readFile(path, 'utf8'));
  expect([file.note, Object.keys(file.servers).sort()]).toEqual(['mine', ['old', 's0', 's1', 's2', 's3', 's4']]);
});

test('[wire:STORE] processes that write at once lose nothing', async () => {
  const { store, path } = await emptyStore();
  const program = fileURLToPath(new URL('../fixtures/write-tokens.ts', import.meta.url));
  const ended = ['a', 'b', 'c'].map(
    (name) =>
      new Promise((resolve) => execFile(process.execPath, [program, path, name], (error) => resolve(error?.code ?? 0))),
  );
  expect(await Promise.all(ended)).toEqual([0, 0, 0]);
  expect(Object.keys(await store.list()).sort()).toEqual(
    ['a', 'b', 'c'].flatMap((name) => [0, 1, 2, 3, 4].map((i) => `${name}${i}`)),
  );
});

test('[wire:STORE] a process that is killed while it writes leaves a whole file, and its lock is not for ever', async () => {
  const { store, path } = await emptyStore();
  await store.update('kept', () => ({ access_token: 'kept' }));
  const program = fileURLToPath(new URL('../fixtures/write-tokens.ts', import.meta.url));
  const writer = spawn(process.execPath, [program, path, 'x', 'forever'], { stdio: ['ignore', 'pipe', 'inherit'] });
  await new Promise((resolve) => writer.stdout.once('data', resolve));
  writer.kill('SIGKILL');
  expect((await store.list()).kept).toEqual({ access_token: 'kept' });
  await store.update('after', () => ({ access_token: 'after' }));
  expect(Object.keys(await store.list())).toEqual(expect.arrayContaining(['kept', 'after']));
});
