import { existsSync, readdirSync, rmSync, statSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import writeFileAtomic from 'write-file-atomic';
import type { FileChange } from '../../civic/corpus/ports.ts';
import { isCorpusPath } from '../../civic/corpus/source-file.ts';
import { isGitRoot, runGit } from './run-git.ts';

const AUTHOR = { name: 'bindery-civic', email: 'civic@localhost' };
/** An older git lock or temporary copy was left by a killed process: both normally live for milliseconds. */
const STALE_MS = 30_000;
const LOCKS = ['index.lock', 'HEAD.lock'];

export interface CommitOptions {
  /** Signs them with the key that git is configured for. */
  readonly sign?: boolean | undefined;
}

/** The author of this program's commits: never the sender of a change. */
export const COMMIT_ENV = {
  GIT_AUTHOR_NAME: AUTHOR.name,
  GIT_AUTHOR_EMAIL: AUTHOR.email,
  GIT_COMMITTER_NAME: AUTHOR.name,
  GIT_COMMITTER_EMAIL: AUTHOR.email,
} as const;

/**
 * Writes changed files, each by an atomic rename, and commits them if the folder is the root of a git repository. A corpus inside a larger
 * repository is not committed: that history is not ours. Nothing is committed without a message.
 */
export async function commitFiles(
  dir: string,
  changes: readonly FileChange[],
  message: string | undefined,
  options: CommitOptions = {},
): Promise<void> {
  for (const { path } of changes) {
    if (!isCorpusPath(path) || path.includes('..')) throw new Error(`not a path of a corpus: ${path}`);
  }
  for (const { path, content } of changes) {
    const absolute = join(dir, path);
    if (content === undefined) {
      await rm(absolute, { force: true });
    } else {
      await mkdir(dirname(absolute), { recursive: true });
      removeStaleCopies(absolute);
      await writeFileAtomic(absolute, content);
    }
  }
  if (changes.length > 0 && message !== undefined && isGitRoot(dir)) await commitToGit(dir, changes, message, options);
}

async function commitToGit(
  dir: string,
  changes: readonly FileChange[],
  message: string,
  { sign = false }: CommitOptions,
): Promise<void> {
  const paths = changes.map((change) => change.path);
  removeStaleLocks(dir);
  await runGit(dir, ['add', '--all', '--', ...paths]);
  // After an interruption the commit may exist already.
  const status = await runGit(dir, ['status', '--porcelain', '--untracked-files=no', '--', ...paths]);
  if (status.trim() === '') return;
  const args = [
    'commit',
    '--quiet',
    '--no-verify',
    '--cleanup=whitespace',
    '--file=-',
    sign ? '--gpg-sign' : '--no-gpg-sign',
  ];
  await runGit(dir, [...args, '--only', '--', ...paths], { env: COMMIT_ENV, input: message });
  // Git leaves the message in a file; text erased from the history must not stay there.
  const left = join(dir, '.git', 'COMMIT_EDITMSG');
  if (existsSync(left)) rmSync(left, { force: true });
}

/** Removes locks of a killed git, which would block every commit. */
export function removeStaleLocks(dir: string): void {
  for (const name of LOCKS) removeIfStale(join(dir, '.git', name));
}

/** Removes temporary copies that were never renamed; nothing else cleans them up. */
function removeStaleCopies(path: string): void {
  const isCopy = (name: string) => name.startsWith(`${basename(path)}.`) && /\.\d+$/.test(name);
  for (const name of readdirSync(dirname(path)).filter(isCopy)) removeIfStale(join(dirname(path), name));
}

function removeIfStale(path: string): void {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats && Date.now() - stats.mtimeMs > STALE_MS) rmSync(path, { force: true });
}
