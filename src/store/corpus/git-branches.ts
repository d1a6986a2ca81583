import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { COMMIT_ENV } from './commit-files.ts';
import { runGit } from './run-git.ts';

/**
 * Makes a branch that is one commit ahead of HEAD, with one file of another text. Neither the working tree nor the index is
 * touched: the corpus is served from there.
 */
export async function makeBranch(
  dir: string,
  branch: string,
  file: { readonly path: string; readonly text: string },
  message: string,
): Promise<void> {
  const index = join(tmpdir(), `bindery-index-${randomUUID()}`);
  const env = { ...COMMIT_ENV, GIT_INDEX_FILE: index };
  const git = async (args: readonly string[], input?: string) =>
    (await runGit(dir, args, { env, ...(input === undefined ? {} : { input }) })).trim();
  try {
    const head = await git(['rev-parse', 'HEAD']);
    await git(['read-tree', head]);
    const blob = await git(['hash-object', '-w', '--stdin'], file.text);
    await git(['update-index', '--add', '--cacheinfo', `100644,${blob},${file.path}`]);
    const tree = await git(['write-tree']);
    const commit = await git(['commit-tree', tree, '-p', head, '-F', '-'], message);
    await git(['update-ref', `refs/heads/${branch}`, commit]);
  } finally {
    rmSync(index, { force: true });
  }
}

/** Whether all of a branch is in what is checked out. Undefined: there is no such branch. */
export async function isMerged(dir: string, branch: string): Promise<boolean | undefined> {
  const tip = await runGit(dir, ['rev-parse', '--quiet', '--verify', `refs/heads/${branch}`]).catch(() => '');
  if (tip.trim() === '') return undefined;
  return runGit(dir, ['merge-base', '--is-ancestor', tip.trim(), 'HEAD']).then(
    () => true,
    () => false,
  );
}

export async function removeBranch(dir: string, branch: string): Promise<void> {
  if ((await isMerged(dir, branch)) === undefined) return;
  await runGit(dir, ['update-ref', '-d', `refs/heads/${branch}`]);
}
