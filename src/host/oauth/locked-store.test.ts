import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { lockFile } from '../config/file-lock.ts';
import { OAUTH_LIMITS as LIMITS } from './limits.ts';
import { TokenStore } from './token-store.ts';

vi.mock('../config/file-lock.ts', () => ({ lockFile: vi.fn() }));

test.each([
  ['ELOCKED', 'another process holds the token file'],
  ['EROFS', 'the token file cannot be locked (EROFS)'],
])('a lock that fails with %s says why, and nothing is done without it', async (code, message) => {
  vi.mocked(lockFile).mockRejectedValueOnce(Object.assign(new Error('no'), { code }));
  const path = join(await mkdtemp(join(tmpdir(), 'bindery-locked-')), 'mcp-auth.json');
  const work = vi.fn();
  await expect(new TokenStore(path).locked(work)).rejects.toMatchObject({ code: 'store_locked', message });
  expect([work.mock.calls.length, vi.mocked(lockFile).mock.lastCall]).toEqual([
    0,
    [path, { stale: LIMITS.lockStaleMs, restMs: LIMITS.lockPollMs, tries: LIMITS.lockWaitMs / LIMITS.lockPollMs }],
  ]);
});
