import { mkdtemp, readdir, readFile, rmdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { OAUTH_LIMITS } from './limits.ts';
import { TokenStore } from './token-store.ts';

const emptyPath = async () => join(await mkdtemp(join(tmpdir(), 'bindery-tokens-')), 'mcp-auth.json');

test('a write under a lock that was lost meanwhile is refused, and the store goes on', {
  timeout: 20_000,
}, async () => {
  const path = await emptyPath();
  const store = new TokenStore(path);
  await store.update('a', () => ({ access_token: 'old' }));
  const before = await readFile(path, 'utf8');
  const update = store.locked(async () => {
    await rmdir(`${path}.lock`);
    await wait(OAUTH_LIMITS.lockStaleMs / 2 + 500);
    await store.write('a', () => ({ access_token: 'new' }));
  });
  await expect(update).rejects.toMatchObject({ code: 'store_locked' });
  expect([await readFile(path, 'utf8'), await readdir(dirname(path))]).toEqual([before, ['mcp-auth.json']]);
  await store.update('a', () => ({ access_token: 'newer' }));
  expect(await store.get('a')).toEqual({ access_token: 'newer' });
});
