import { execFileSync } from 'node:child_process';
import { mkdtemp, readdir, rmdir, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { updateFile } from './update-file.ts';

const folder = () => mkdtemp(join(tmpdir(), 'bindery-update-'));
const OPTIONS = { mode: 0o600 };

test('a write under a lock that was lost meanwhile is refused, and nothing of it stays', async () => {
  const dir = await folder();
  const file = join(dir, 'config.json');
  // Reading a pipe lasts until somebody writes to it.
  execFileSync('mkfifo', [file]);
  const update = updateFile(file, (text) => `${text}, changed`, OPTIONS);
  await expect.poll(() => readdir(dir)).toContain('config.json.lock');
  await rmdir(join(dir, 'config.json.lock'));
  // The library looks after its lock in half the time that it lasts.
  const told = wait(3_000).then(() => writeFile(file, 'read before'));
  await expect(update).rejects.toMatchObject({ code: 'CONFIG_BUSY' });
  await told;
  expect([await readdir(dir), (await stat(file)).isFIFO()]).toEqual([['config.json'], true]);
});
