import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { runGit } from './run-git.ts';

let dir: string;
const { PATH } = process.env;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'run-git-'));
});
afterEach(() => {
  process.env.PATH = PATH;
  rmSync(dir, { recursive: true, force: true });
});

/** A git that reads nothing, says something and ends. */
function useGit(script: string): void {
  writeFileSync(join(dir, 'git'), `#!/bin/sh\n${script}\n`);
  chmodSync(join(dir, 'git'), 0o755);
  process.env.PATH = `${dir}${delimiter}${PATH}`;
}

test('a git that ends before it has read its input is a failure with a code, and says what to do', async () => {
  useGit(`exec 0<&-; echo "fatal: Unable to create '/x/.git/index.lock': File exists." >&2; exit 128`);
  const input = 'x'.repeat(4 * 1024 * 1024);
  const failures = await Promise.all(
    Array.from({ length: 5 }, () => runGit(dir, ['commit', '--file=-'], { input }).catch((error) => error)),
  );
  expect(failures.map(({ code, detail, next }) => [code, detail, next])).toEqual(
    failures.map(() => [
      'STORE_UNAVAILABLE',
      'The corpus folder cannot be used: another program works in the repository (.git/index.lock).',
      'Wait until it is done. If no git runs, remove .git/index.lock.',
    ]),
  );
});

test('a missing git is reported', async () => {
  process.env.PATH = dir;
  await expect(runGit(dir, ['status'])).rejects.toMatchObject({
    code: 'STORE_UNAVAILABLE',
    detail: 'The corpus folder cannot be used: git is not installed, or the folder is gone.',
  });
});
