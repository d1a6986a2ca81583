import { randomUUID } from 'node:crypto';
import { existsSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { COMMIT_ENV, type CommitOptions } from './commit-files.ts';
import { runGit } from './run-git.ts';

/**
 * Creates a branch one commit ahead of HEAD, with one changed file. Leaves working tree and index alone, because the corpus is served from
 * there.
 */
export async function makeBranch(
  dir: string,
  branch: string,
  {
    path,
    text,
    message,
    sign,
  }: CommitOptions & { readonly path: string; readonly text: string; readonly message: string },
): Promise<void> {
  const index = join(tmpdir(), `bindery-index-${randomUUID()}`);
  const env = { ...COMMIT_ENV, GIT_INDEX_FILE: index };
  const git = async (args: readonly string[], input?: string) =>
    (await runGit(dir, args, { env, ...(input === undefined ? {} : { input }) })).trim();
  try {
    const head = await git(['rev-parse', 'HEAD']);
    await git(['read-tree', head]);
    const blob = await git(['hash-object', '-w', '--stdin'], text);
    await git(['update-index', '--add', '--cacheinfo', `100644,${blob},${path}`]);
    const tree = await git(['write-tree']);
    const commit = await git(['commit-tree', ...(sign ? ['--gpg-sign'] : []), tree, '-p', head, '-F', '-'], message);
    await git(['update-ref', `refs/heads/${branch}`, commit]);
  } finally {
    rmSync(index, { force: true });
  }
}

/** Whether HEAD contains a branch, by its commits or by a commit with the same text. Undefined: no such branch. */
export async function isMerged(dir: string, branch: string, path: string): Promise<boolean | undefined> {
  const git = async (...args: string[]) => (await runGit(dir, args).catch(() => '')).trim();
  const tip = await git('rev-parse', '--quiet', '--verify', `refs/heads/${branch}`);
  if (tip === '') return undefined;
  const base = await git('merge-base', tip, 'HEAD');
  if (base === tip) return true;
  // After a squash or rebase the branch is no ancestor, but its text is the same.
  const text = await git('rev-parse', '--quiet', '--verify', `${tip}:${path}`);
  if (base === '' || text === '') return false;
  return (await git('log', '-1', '--format=%H', `--find-object=${text}`, `${base}..HEAD`, '--', path)) !== '';
}

/** Removes a branch and its otherwise unused objects: unmerged text may contain personal data. */
export async function removeBranch(dir: string, branch: string): Promise<void> {
  const ref = `refs/heads/${branch}`;
  const tip = (await runGit(dir, ['rev-parse', '--quiet', '--verify', ref]).catch(() => '')).trim();
  if (tip === '') return;
  await runGit(dir, ['update-ref', '-d', ref]);
  // Staged and checked-out objects of any working tree count as used.
  const used = ['--not', '--all', '--reflog', '--indexed-objects'];
  const own = await runGit(dir, ['rev-list', '--objects', tip, ...used]);
  const objects = (await runGit(dir, ['rev-parse', '--git-path', 'objects'])).trim();
  for (const line of own.split('\n')) {
    const id = line.slice(0, line.indexOf(' ') >>> 0);
    if (!/^[0-9a-f]{40,64}$/.test(id)) continue;
    const file = join(resolve(dir, objects), id.slice(0, 2), id.slice(2));
    // Packed objects go with the next `git gc --prune=now`.
    if (existsSync(file)) rmSync(file, { force: true });
  }
}
