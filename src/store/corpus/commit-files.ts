import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import writeFileAtomic from 'write-file-atomic';
import type { FileChange } from '../../civic/corpus/ports.ts';
import { isCorpusPath } from '../../civic/corpus/source-file.ts';

const run = promisify(execFile);
const AUTHOR = { name: 'bindery-civic', email: 'civic@localhost' };

/**
 * Writes changed files, each by an atomic rename, and commits them where the folder is the root of a git repository.
 * A corpus inside a bigger repository is not committed: that history belongs to somebody else.
 */
export async function commitFiles(dir: string, changes: readonly FileChange[], message: string): Promise<void> {
  for (const { path } of changes) {
    if (!isCorpusPath(path) || path.includes('..')) throw new Error(`not a path of a corpus: ${path}`);
  }
  for (const { path, content } of changes) {
    const absolute = join(dir, path);
    if (content === undefined) {
      await rm(absolute, { force: true });
    } else {
      await mkdir(dirname(absolute), { recursive: true });
      await writeFileAtomic(absolute, content);
    }
  }
  if (changes.length > 0 && existsSync(join(dir, '.git'))) await commitToGit(dir, changes, message);
}

async function commitToGit(dir: string, changes: readonly FileChange[], message: string): Promise<void> {
  const paths = changes.map((change) => change.path);
  await git(dir, ['add', '--all', '--', ...paths]);
  // After an interruption the commit may be there already.
  const { stdout } = await git(dir, ['status', '--porcelain', '--untracked-files=no', '--', ...paths]);
  if (stdout.trim() === '') return;
  await git(dir, ['commit', '--quiet', '--no-verify', '--message', message, '--only', '--', ...paths]);
}

function git(dir: string, args: readonly string[]) {
  // Hooks, signing and the person's own identity have no part in this.
  const settings = ['-c', 'core.hooksPath=/dev/null', '-c', 'commit.gpgSign=false', '-c', 'gc.auto=0'];
  return run('git', [...settings, ...args], {
    cwd: dir,
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      GIT_AUTHOR_NAME: AUTHOR.name,
      GIT_AUTHOR_EMAIL: AUTHOR.email,
      GIT_COMMITTER_NAME: AUTHOR.name,
      GIT_COMMITTER_EMAIL: AUTHOR.email,
    },
  });
}
