import type { UncommittedEdit } from '../../civic/submissions/desk.ts';
import { isGitRoot, runGit } from './run-git.ts';

/** What HEAD and the index have of a file that differs from HEAD. Undefined: it does not differ, or git does not know it. */
export async function uncommittedEdit(dir: string, path: string): Promise<UncommittedEdit | undefined> {
  if (!isGitRoot(dir)) return undefined;
  // Git itself compares, because line ends and filters may differ between the folder and the repository.
  const status = await runGit(dir, ['status', '--porcelain', '--untracked-files=all', '--', path], {
    env: { GIT_OPTIONAL_LOCKS: '0' },
  });
  if (status.trim() === '') return undefined;
  const [committed, staged] = [await textOf(dir, `HEAD:${path}`), await textOf(dir, `:${path}`)];
  // Git does not know the file, so it has no state to return to.
  return committed === undefined && staged === undefined ? undefined : { committed, staged };
}

async function textOf(dir: string, object: string): Promise<string | undefined> {
  const id = (await runGit(dir, ['rev-parse', '--quiet', '--verify', object]).catch(() => '')).trim();
  return id === '' ? undefined : (await runGit(dir, ['cat-file', 'blob', id])).replaceAll('\r\n', '\n');
}
