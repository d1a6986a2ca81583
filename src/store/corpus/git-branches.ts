import { randomUUID } from 'node:crypto';
import { rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { COMMIT_ENV, type CommitOptions } from './commit-files.ts';
import { runGit } from './run-git.ts';

const OBJECTS_BYTES_MAX = 512 * 1024 * 1024;
/** Commits that a person's unfinished merge, rebase or pick still needs. */
const UNFINISHED = ['MERGE_HEAD', 'CHERRY_PICK_HEAD', 'REVERT_HEAD', 'REBASE_HEAD'];

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

/** Whether a commit contains a branch, by its commits or by a commit with the same text. Undefined: no such branch. */
export async function isMerged(dir: string, branch: string, path: string, at = 'HEAD'): Promise<boolean | undefined> {
  const git = async (...args: string[]) => (await runGit(dir, args).catch(() => '')).trim();
  const tip = await git('rev-parse', '--quiet', '--verify', `refs/heads/${branch}`);
  if (tip === '') return undefined;
  const base = await git('merge-base', tip, at);
  if (base === tip) return true;
  // After a squash or rebase the branch is no ancestor, but its text is the same.
  const text = await git('rev-parse', '--quiet', '--verify', `${tip}:${path}`);
  if (base === '' || text === '') return false;
  return (await git('log', '-1', '--format=%H', `--find-object=${text}`, `${base}..${at}`, '--', path)) !== '';
}

/** Removes a branch and the objects that only it had: unmerged text may contain personal data. */
export async function removeBranch(dir: string, branch: string): Promise<void> {
  const ref = `refs/heads/${branch}`;
  const git = async (...args: string[]) => (await runGit(dir, args, { bytesMax: OBJECTS_BYTES_MAX })).trim();
  const tip = await git('rev-parse', '--quiet', '--verify', ref).catch(() => '');
  if (tip === '') return;
  // The branch may have had other commits before.
  const tips = new Set([tip, ...lines(await git('log', '--walk-reflogs', '--format=%H', ref).catch(() => ''))]);
  await git('update-ref', '-d', ref);
  // Cheap, but not exact: it may also list trees and files of older commits that are still used.
  const listed = lines(await git('rev-list', '--objects', ...tips, '--not', '--all', '--reflog', '--indexed-objects'));
  const objects = resolve(dir, await git('rev-parse', '--git-path', 'objects'));
  const files = listed.flatMap((line) => {
    const id = line.split(' ', 1)[0] as string;
    const file = join(objects, id.slice(0, 2), id.slice(2));
    // Packed objects go with the next `git gc --prune=now`.
    return /^[0-9a-f]{40,64}$/.test(id) ? [{ id, file, before: changedAt(file) }] : [];
  });
  const unused = await unusedObjects(dir);
  for (const { id, file, before } of files) {
    // Git renews the time of an object when somebody writes the same content again: then it is used from now on.
    if (unused.has(id) && before !== undefined && changedAt(file) === before) rmSync(file, { force: true });
  }
}

/** The loose objects that nothing uses, in the judgement of git: no commit, index or log of any working tree, and no unfinished work. */
async function unusedObjects(dir: string): Promise<ReadonlySet<string>> {
  const options = { bytesMax: OBJECTS_BYTES_MAX };
  const heads = await Promise.all(
    UNFINISHED.map((name) => runGit(dir, ['rev-parse', '--quiet', '--verify', name]).catch(() => '')),
  );
  const used = heads.map((id) => id.trim()).filter((id) => id !== '');
  const listed = await runGit(dir, ['prune', '--dry-run', '--expire=now', '--', ...used], options);
  return new Set(lines(listed).map((line) => line.split(' ', 1)[0] as string));
}

function lines(text: string): string[] {
  return text.split('\n').filter((line) => line !== '');
}

function changedAt(file: string): number | undefined {
  return statSync(file, { throwIfNoEntry: false })?.mtimeMs;
}
