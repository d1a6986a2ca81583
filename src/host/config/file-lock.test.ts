import { mkdtemp, rmdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { lockFile } from './file-lock.ts';

/** The least that the library takes: it looks after its lock every second then. */
const SHORT = { stale: 2_000 };

test('a lock that is lost while held reports that, does not end the process, and can be released', async () => {
  const file = join(await mkdtemp(join(tmpdir(), 'bindery-lock-')), 'config.json');
  const lock = await lockFile(file, SHORT);
  const before = lock.isLost;
  await rmdir(`${file}.lock`);
  await vi.waitUntil(() => lock.isLost, { timeout: 5_000 });
  await lock.release();
  expect(before).toBe(false);
});

test('releasing a lost lock does not release the lock of another process', async () => {
  const file = join(await mkdtemp(join(tmpdir(), 'bindery-lock-')), 'config.json');
  const lost = await lockFile(file, SHORT);
  await rmdir(`${file}.lock`);
  await vi.waitUntil(() => lost.isLost, { timeout: 5_000 });
  const theirs = await lockFile(file, SHORT);
  await lost.release();
  await expect(lockFile(file, SHORT)).rejects.toMatchObject({ code: 'ELOCKED' });
  await theirs.release();
});

test('if the lock cannot be created, the caller fails without waiting', async () => {
  const file = join(await mkdtemp(join(tmpdir(), 'bindery-lock-')), 'x'.repeat(253));
  const patient = { ...SHORT, tries: 1_000, restMs: 60_000 };
  await expect(lockFile(file, patient)).rejects.toMatchObject({ code: 'ENAMETOOLONG' });
});
