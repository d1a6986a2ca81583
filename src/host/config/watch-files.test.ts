import { chmodSync, mkdtempSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { watchFiles } from './watch-files.ts';

test('a change of a file that is watched twice is reported once', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'bindery-watch-'));
  const file = join(folder, 'config.json');
  writeFileSync(file, 'a');
  let changes = 0;
  const end = watchFiles([file, join(folder, 'other.json'), file], () => {
    changes += 1;
  });
  // The first look is on its way.
  await wait(100);
  writeFileSync(file, 'long');
  await expect.poll(() => changes, { timeout: 10_000 }).toBeGreaterThan(0);
  expect(changes).toBe(1);
  end();
  rmSync(folder, { recursive: true });
});

test('a change of permissions is reported, and so is one that keeps size and mtime', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'bindery-watch-'));
  const file = join(folder, 'config.json');
  writeFileSync(file, 'a');
  let changes = 0;
  const end = watchFiles([file], () => {
    changes += 1;
  });
  await wait(100);
  chmodSync(file, 0o600);
  await expect.poll(() => changes, { timeout: 10_000 }).toBe(1);
  const { atime, mtime } = statSync(file);
  writeFileSync(file, 'b');
  utimesSync(file, atime, mtime);
  await expect.poll(() => changes, { timeout: 10_000 }).toBe(2);
  end();
  rmSync(folder, { recursive: true });
});
