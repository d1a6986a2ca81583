import { rmSync } from 'node:fs';
import { resolve } from 'node:path';
import { COMMIT_ENV, type CommitOptions } from './commit-files.ts';
import { runGit } from './run-git.ts';

const TIMEOUT_MS = 60_000;
/** A person's settings must not move other branches, or keep merges. */
const SETTINGS = ['rebase.updateRefs=false', 'rebase.rebaseMerges=false', 'rebase.autoStash=false'];

/** The new commit, or the files in which both sides changed the same lines. */
export type Rebased = { readonly commit: string } | { readonly conflicts: readonly string[] };

/**
 * Puts the commits of `head` on top of `onto`, in a working tree of its own inside the repository: the folder of the corpus, its index and
 * its branch stay as they are. A killed run leaves only that working tree, which the next run removes.
 */
export async function rebaseApart(
  dir: string,
  head: string,
  onto: string,
  { sign = false }: CommitOptions = {},
): Promise<Rebased> {
  const git = async (at: string, ...args: string[]) =>
    (await runGit(at, args, { env: COMMIT_ENV, settings: SETTINGS, timeoutMs: TIMEOUT_MS })).trim();
  const apart = resolve(dir, await git(dir, 'rev-parse', '--git-path', 'bindery-pull'));
  const remove = async () => {
    await git(dir, 'worktree', 'remove', '--force', '--force', apart).catch(() => {});
    rmSync(apart, { recursive: true, force: true });
  };
  await remove();
  try {
    await git(dir, 'worktree', 'add', '--quiet', '--force', '--detach', apart, head);
    try {
      await git(apart, 'rebase', '--quiet', sign ? '--gpg-sign' : '--no-gpg-sign', onto);
    } catch (error) {
      const conflicts = await git(apart, 'diff', '--name-only', '--diff-filter=U', '-z').catch(() => '');
      if (conflicts === '') throw error;
      return { conflicts: conflicts.split('\0').filter((path) => path !== '') };
    }
    return { commit: await git(apart, 'rev-parse', 'HEAD') };
  } finally {
    await remove();
  }
}
