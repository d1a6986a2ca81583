import { mkdtemp, readFile, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { memoryTokens } from './memory-tokens.ts';
import { OAuthError } from './oauth-error.ts';
import type { SecretVault } from './secret-vault.ts';
import { type CredentialStore, fileTokens, type StoredCredentials, TokenStore } from './token-store.ts';

const emptyPath = async () => join(await mkdtemp(join(tmpdir(), 'bindery-vault-')), 'deep', 'mcp-auth.json');

/** A vault in memory that can be locked. */
class MemoryVault implements SecretVault {
  readonly secrets = new Map<string, string>();
  isLocked = false;

  async get(account: string): Promise<string | undefined> {
    this.#check();
    return this.secrets.get(account);
  }
  async set(account: string, secret: string): Promise<void> {
    this.#check();
    this.secrets.set(account, secret);
  }
  async delete(account: string): Promise<void> {
    this.#check();
    this.secrets.delete(account);
  }
  #check(): void {
    if (this.isLocked) throw new OAuthError('keychain_unavailable', 'locked');
  }
}

const entry: fc.Arbitrary<StoredCredentials> = fc.record(
  {
    access_token: fc.constantFrom('access-1', 'access-2'),
    refresh_token: fc.constant('refresh-1'),
    client_secret: fc.constant('secret-1'),
    client_id: fc.constantFrom('c', 'd'),
    expires_at: fc.nat(9),
    theirs: fc.constant('kept'),
  },
  { requiredKeys: [] },
) as fc.Arbitrary<StoredCredentials>;
const step = fc.record({
  id: fc.constantFrom('a', 'b'),
  do: fc.constantFrom('set' as const, 'remove' as const, 'clear' as const),
  entry,
});
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** Does the steps, and compares with a map after each of them. */
async function compare(store: CredentialStore, steps: readonly Step[], clear?: TokenStore['clear']): Promise<void> {
  const model = new Map<string, StoredCredentials>();
  for (const { id, do: action, entry: next } of steps) {
    const before = model.get(id);
    if (action === 'clear' && clear) expect(await clear(id)).toEqual({ found: model.delete(id) });
    else {
      await store.update(id, (stored) => {
        expect(stored).toEqual(before);
        return action === 'set' ? next : undefined;
      });
      if (action === 'set') model.set(id, next);
      else model.delete(id);
    }
    expect([await store.get('a'), await store.get('b')]).toEqual([model.get('a'), model.get('b')]);
  }
}

test('stores with a vault, without one, and in memory behave like a map', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 6 }), async (steps) => {
      const vault = new MemoryVault();
      const path = await emptyPath();
      const [guarded, plain] = [new TokenStore(path, vault), new TokenStore(`${path}.plain`)];
      await compare(guarded, steps, (id) => guarded.clear(id));
      await compare(plain, steps, (id) => plain.clear(id));
      await compare(memoryTokens(), steps);
      expect([await guarded.list(), await plain.list()]).toEqual([
        Object.fromEntries(await plain.known()),
        Object.fromEntries(await guarded.known()),
      ]);
      const text = await readFile(path, 'utf8').catch(() => '');
      expect(text).not.toMatch(/access-|refresh-|secret-/);
      const left = new Set([...vault.secrets.values()].flatMap((secrets) => Object.keys(JSON.parse(secrets))));
      expect([...left].filter((name) => !['access_token', 'refresh_token', 'client_secret'].includes(name))).toEqual(
        [],
      );
      const withSecrets = Object.values(await guarded.list()).filter(
        (one) => one.access_token ?? one.refresh_token ?? one.client_secret,
      );
      // What is gone from the file is gone from the vault.
      expect(vault.secrets.size).toBe(withSecrets.length);
    }),
    { numRuns: 25 },
  );
});

test('two files in one vault do not see each other’s secrets, and a file has the same secrets by any path', async () => {
  const vault = new MemoryVault();
  const [one, two] = [await emptyPath(), await emptyPath()];
  await new TokenStore(one, vault).update('a', () => ({ access_token: 'first' }));
  await new TokenStore(two, vault).update('a', () => ({ access_token: 'second' }));
  const again = new TokenStore(join(dirname(one), '..', 'deep', 'mcp-auth.json'), vault);
  expect([await again.get('a'), vault.secrets.size]).toEqual([{ access_token: 'first' }, 2]);
  expect([...vault.secrets.keys()].every((account) => /^a [0-9a-f]{8}$/.test(account))).toBe(true);
});

test('a locked vault fails reads and writes, and the masking list has what can be read', async () => {
  const vault = new MemoryVault();
  const path = await emptyPath();
  const store = new TokenStore(path, vault);
  await store.update('a', () => ({ access_token: 'x', client_id: 'c' }));
  const before = await readFile(path, 'utf8');
  vault.isLocked = true;
  const locked = { code: 'keychain_unavailable' };
  await expect(store.get('a')).rejects.toMatchObject(locked);
  await expect(store.get('unknown')).rejects.toMatchObject(locked);
  await expect(store.update('a', () => ({ access_token: 'y' }))).rejects.toMatchObject(locked);
  await expect(store.clear('a')).rejects.toMatchObject(locked);
  expect([await store.known(), await readFile(path, 'utf8')]).toEqual([
    [['a', { client_id: 'c', stored_in: 'keychain' }]],
    before,
  ]);
});

test('if the secrets are missing or damaged in the vault, the rest of the entry remains', async () => {
  const vault = new MemoryVault();
  const store = new TokenStore(await emptyPath(), vault);
  await store.update('a', () => ({ access_token: 'x', client_id: 'c' }));
  const [account] = [...vault.secrets.keys()] as [string];
  const seen = [];
  for (const secret of ['nonsense', '7', '{"access_token":"y"}']) {
    vault.secrets.set(account, secret);
    seen.push(await store.get('a'));
  }
  vault.secrets.clear();
  expect([...seen, await store.get('a')]).toEqual([
    { client_id: 'c' },
    { client_id: 'c' },
    { client_id: 'c', access_token: 'y' },
    { client_id: 'c' },
  ]);
});

test('the file and its folder are private, and unknown members are kept', async () => {
  const path = await emptyPath();
  const store = fileTokens(path);
  await store.update('a', () => ({ access_token: 'x' }));
  expect([(await stat(path)).mode & 0o777, (await stat(dirname(path))).mode & 0o777]).toEqual([0o600, 0o700]);
  const file = { version: 1, later: { x: 1 }, servers: { b: { access_token: 'y', theirs: 7 } } };
  await writeFile(path, JSON.stringify(file));
  await store.update('a', () => ({ access_token: 'x' }));
  expect(JSON.parse(await readFile(path, 'utf8'))).toEqual({
    ...file,
    servers: { ...file.servers, a: { access_token: 'x' } },
  });
});

test.each([2, '1', null])('a file of version %j is neither read nor written', async (version) => {
  const path = await emptyPath();
  const store = new TokenStore(path);
  await store.update('a', () => ({ access_token: 'x' }));
  const text = JSON.stringify({ version, servers: {} });
  await writeFile(path, text);
  for (const work of [
    () => store.get('a'),
    () => store.list(),
    () => store.damage(),
    () => store.update('a', () => ({})),
  ])
    await expect(work()).rejects.toMatchObject({ code: 'store_unreadable' });
  expect([await store.known(), await readFile(path, 'utf8')]).toEqual([[], text]);
});

test('a path that is not a file is reported as unreadable', async () => {
  const path = await emptyPath();
  await new TokenStore(join(path, 'inner.json')).update('a', () => ({ access_token: 'x' }));
  await expect(new TokenStore(path).get('a')).rejects.toMatchObject({
    code: 'store_unreadable',
    message: 'the token file cannot be read',
  });
});

test('a damaged entry is named, and the others are listed', async () => {
  const path = await emptyPath();
  const store = new TokenStore(path);
  await store.update('good', () => ({ access_token: 'x', expires_at: 5, other: [1] }) as StoredCredentials);
  const file = JSON.parse(await readFile(path, 'utf8'));
  const bad = [
    { scope: 7 },
    { needed_scope: 7 },
    { resource: null },
    { expires_at: '5' },
    { renew_at: null },
    { client_secret_expires_at: '5' },
  ];
  await writeFile(
    path,
    JSON.stringify({ ...file, servers: { ...file.servers, ...Object.fromEntries(bad.entries()) } }),
  );
  const damage = await store.damage();
  expect([Object.keys(await store.list()), damage.length, damage[0]]).toEqual([
    ['good'],
    bad.length,
    'what is stored to sign in to 0 is damaged; a new sign-in, or `bindery mcp auth clear 0`, repairs it',
  ]);
});

test('writers in one process are serialized: each sees the previous write', async () => {
  const store = new TokenStore(await emptyPath());
  const inMemory = memoryTokens();
  for (const one of [store, inMemory]) {
    const add = (letter: string) =>
      one.locked(async () => {
        const before = await one.get('a');
        await new Promise((resolve) => setImmediate(resolve));
        await one.write('a', () => ({ scope: `${before?.scope ?? ''}${letter}` }));
      });
    await Promise.all(['x', 'y', 'z'].map(add));
    expect((await one.get('a'))?.scope?.length).toBe(3);
  }
});
