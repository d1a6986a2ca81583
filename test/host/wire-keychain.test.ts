import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { tokenStoreSetting } from '../../src/host/config/token-store-setting.ts';
import { OAuthError } from '../../src/host/oauth/oauth-error.ts';
import { keychain, type SecretVault } from '../../src/host/oauth/secret-vault.ts';
import type { SignInRequest } from '../../src/host/oauth/sign-in.ts';
import { TokenStore } from '../../src/host/oauth/token-store.ts';
import {
  type AuthorizationServer,
  personWithBrowser,
  startAuthorizationServer,
} from '../fixtures/authorization-server.ts';
import { http, textOf, World } from '../fixtures/connect.ts';
import { emptyStore, startGuardedServer } from '../fixtures/guarded-server.ts';
import { HttpFixture, legacyHttp } from '../fixtures/servers/http-server.ts';
import { openHostCommands } from '../support/host-commands.ts';

const world = new World();
let as: AuthorizationServer;
beforeAll(async () => {
  as = world.keep(await startAuthorizationServer());
});
afterAll(() => world.close());

const guarded = async () => {
  const guard = await startGuardedServer({ server: as });
  world.keep(guard.fixture);
  return guard;
};

/** A keychain in memory. */
class MemoryVault implements SecretVault {
  readonly secrets = new Map<string, string>();
  fails = false;

  async get(account: string) {
    this.#check();
    return this.secrets.get(account);
  }

  async set(account: string, secret: string) {
    this.#check();
    this.secrets.set(account, secret);
  }

  async delete(account: string) {
    this.#check();
    this.secrets.delete(account);
  }

  #check(): void {
    if (this.fails) throw new OAuthError('keychain_unavailable', 'the keychain of this machine cannot be used');
  }
}

async function openStore() {
  const { path } = await emptyStore();
  const vault = new MemoryVault();
  return { path, vault, store: new TokenStore(path, vault) };
}

test('[wire:KEYCHAIN] tokens are in the keychain alone, and what signs in again or renews finds them there', async () => {
  const { url, revoked } = await guarded();
  const { path, vault, store } = await openStore();
  const asked: SignInRequest[] = [];
  const host = world.host({ tokens: store, person: personWithBrowser(asked) });
  host.apply([http(url)]);
  await host.settled();
  const before = await store.get('http');
  const file = await readFile(path, 'utf8');
  expect([host.statusOf('http')?.state, JSON.parse(file).servers.http]).toMatchObject([
    'ready',
    { stored_in: 'keychain', url, issuer: as.issuer, expires_at: expect.any(Number) },
  ]);
  const secrets = [...vault.secrets.values()].flatMap((text) => Object.values(JSON.parse(text) as object));
  expect([secrets.length >= 2, secrets.filter((secret) => file.includes(secret))]).toEqual([true, []]);
  revoked.add(`Bearer ${before?.access_token}`);
  const again = world.host({ tokens: new TokenStore(path, vault) });
  again.apply([http(url)]);
  await again.settled();
  const call = { method: 'tools/call', params: { name: 'echo', arguments: {} } };
  expect([textOf(await again.request('http', call)), asked.length, vault.secrets.size]).toEqual(['{}', 1, 1]);
  expect((await store.get('http'))?.access_token === before?.access_token).toBe(false);
  await store.update('http', () => undefined);
  expect([vault.secrets.size, await store.list()]).toEqual([0, {}]);
});

test('[wire:KEYCHAIN] tokens of before stay usable, and move with the next change', async () => {
  const { path, vault, store } = await openStore();
  await new TokenStore(path).update('old', () => ({ access_token: 'from-the-file', url: 'https://x/' }));
  expect(await store.get('old')).toEqual({ access_token: 'from-the-file', url: 'https://x/' });
  await store.update('old', (stored) => ({ ...stored, scope: 'more' }));
  expect([await readFile(path, 'utf8'), vault.secrets.size]).toEqual([expect.not.stringContaining('from-the-file'), 1]);
  expect(await store.list()).toEqual({ old: { access_token: 'from-the-file', url: 'https://x/', scope: 'more' } });
  // Without the keychain the entry is there, and its secrets are not.
  expect((await new TokenStore(path).get('old'))?.access_token).toBeUndefined();
});

test('[wire:KEYCHAIN] without a keychain a server that asks for a token says so before anyone signs in; others go on', async () => {
  const { vault, store } = await openStore();
  vault.fails = true;
  const open = world.keep(await new HttpFixture(legacyHttp()).listen());
  const asked: SignInRequest[] = [];
  const host = world.host({ tokens: store, person: personWithBrowser(asked) });
  host.apply([http(open.url, { id: 'open' }), http((await guarded()).url, { id: 'closed' })]);
  await host.settled();
  expect([host.status().map(({ id, state, lastError }) => [id, state, lastError]), asked]).toEqual([
    [
      ['closed', 'error', 'the keychain of this machine cannot be used'],
      ['open', 'ready', undefined],
    ],
    [],
  ]);
  expect(await store.known()).toEqual([]);
});

test('[wire:KEYCHAIN] the keychain of this machine keeps a secret, or says in a sentence that there is none', async () => {
  const vault = keychain();
  const account = `bindery-test ${process.pid}`;
  const outcome = await vault.set(account, 'a secret').then(
    async () => {
      const found = await vault.get(account);
      await vault.delete(account);
      return [found, await vault.get(account)];
    },
    (thrown: OAuthError) => [thrown.code, thrown.message],
  );
  const none = [
    'keychain_unavailable',
    'the keychain of this machine is locked or there is none; open it, or set mcp.token_store of your config to "file"',
  ];
  expect([['a secret', undefined], none]).toContainEqual(outcome);
});

test('[wire:KEYCHAIN] mcp.token_store of the person’s config decides; a project’s does not', async () => {
  const { run, globalFile, projectFile } = await openHostCommands();
  const write = async (file: string, setting: unknown) => {
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, JSON.stringify({ mcp: { token_store: setting, servers: {} } }));
    return tokenStoreSetting(globalFile);
  };
  expect([tokenStoreSetting(globalFile), await write(projectFile, 'keychain')]).toEqual(['file', 'file']);
  expect(await write(globalFile, 'keychain')).toBe('keychain');
  await expect(write(globalFile, 'elsewhere')).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
  await write(globalFile, 'keychain');
  await run('mcp', 'add', 'a', '--url', 'https://a.example/mcp');
  const { exitCode, stderr } = await run('mcp', 'auth', 'set', 'a', '--access-token', 'tkn-value');
  // Where there is a keychain, the token is in it; where there is none, the command says so.
  expect([0, 1]).toContain(exitCode);
  if (exitCode === 1) expect(stderr).toContain('TOKEN_STORE_UNAVAILABLE');
  await run('mcp', 'auth', 'clear', 'a');
});
