import { lstatSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { removeStaleLocks } from './commit-files.ts';
import { runGit } from './run-git.ts';

/** The commit of a move that has begun: a killed one is undone by the next. */
const BEGUN = 'refs/bindery/pull';
const BYTES_MAX = 256 * 1024 * 1024;
const NO_OBJECT = /^0+$/;

/**
 * Moves the branch, its files and the index to another commit. Files that the commit does not change keep their uncommitted edits, staged or
 * not. If it changes a file that somebody edits, nothing moves, and these files are the answer.
 */
export async function moveHead(dir: string, to: string): Promise<readonly string[]> {
  await undoBegunMove(dir);
  const head = await git(dir, ['rev-parse', 'HEAD']);
  const edited = await editedAmong(dir, await changedPaths(dir, head, to));
  if (edited.length > 0) return edited;
  // Otherwise a copied file, which has another time, counts as edited.
  await git(dir, ['update-index', '-q', '--refresh']).catch(() => {});
  await git(dir, ['update-ref', BEGUN, to]);
  try {
    // Git looks at every file again before it writes one.
    await git(dir, ['read-tree', '-m', '-u', head, to]);
    await git(dir, ['update-ref', '-m', 'bindery: take over the remote', 'HEAD', to, head]);
  } catch (error) {
    await undoBegunMove(dir);
    throw error;
  }
  await git(dir, ['update-ref', '-d', BEGUN]);
  return [];
}

/** The files that differ between two commits. */
export async function changedPaths(dir: string, from: string, to: string): Promise<string[]> {
  return fields(await git(dir, ['diff-tree', '-r', '-z', '--no-renames', '--name-only', from, to]));
}

/** Those of the files that have changes which are not committed, or that git does not know. */
export async function editedAmong(dir: string, paths: readonly string[]): Promise<string[]> {
  if (paths.length === 0) return [];
  const args = ['status', '--porcelain', '-z', '--no-renames', '--untracked-files=all'];
  const listed = fields(await git(dir, args, { GIT_OPTIONAL_LOCKS: '0' }));
  const edited = new Set(listed.map((line) => line.slice(3)));
  return paths.filter((path) => edited.has(path));
}

/** Undoes a move that was killed: its files become as committed again. What somebody has edited since then stays. */
export async function undoBegunMove(dir: string): Promise<void> {
  const begun = await git(dir, ['rev-parse', '--quiet', '--verify', BEGUN]).catch(() => '');
  if (begun === '') return;
  removeStaleLocks(dir);
  const head = await git(dir, ['rev-parse', 'HEAD']);
  const listed = fields(await git(dir, ['diff-tree', '-r', '-z', '--no-renames', '--raw', head, begun]));
  const staged = new Map(
    fields(await git(dir, ['ls-files', '--stage', '-z'])).map((line) => {
      const [entry = '', path = ''] = line.split('\t');
      return [path, entry.split(' ')[1] as string];
    }),
  );
  const [known, added]: [string[], string[]] = [[], []];
  for (let at = 0; at + 1 < listed.length; at += 2) {
    const [, , before = '', after = ''] = (listed[at] as string).split(' ');
    const path = listed[at + 1] as string;
    const isNew = NO_OBJECT.test(before);
    const inIndex = staged.get(path);
    const isOwnIndex = inIndex === undefined ? isNew || NO_OBJECT.test(after) : inIndex === before || inIndex === after;
    if (isOwnIndex && (await isWrittenByMove(dir, path, [before, after]))) (isNew ? added : known).push(path);
  }
  await restore(dir, known, added);
  await git(dir, ['update-ref', '-d', BEGUN]);
}

/** Whether a file has the text of one of the two commits, or only the beginning of it, or is gone: git writes files in place. */
async function isWrittenByMove(dir: string, path: string, objects: readonly string[]): Promise<boolean> {
  const file = join(dir, path);
  const stats = lstatSync(file, { throwIfNoEntry: false });
  if (!stats) return true;
  if (!stats.isFile() && !stats.isSymbolicLink()) return false;
  const bytes = stats.isFile() ? readFileSync(file) : Buffer.from(readlinkSync(file));
  for (const object of objects.filter((id) => !NO_OBJECT.test(id))) {
    if ((await written(dir, path, object)).subarray(0, bytes.length).equals(bytes)) return true;
  }
  return false;
}

/** A file of a commit as git writes it into the folder. */
async function written(dir: string, path: string, object: string): Promise<Buffer> {
  const options = { bytesMax: BYTES_MAX, encoding: 'latin1' } as const;
  return Buffer.from(await runGit(dir, ['cat-file', '--filters', `--path=${path}`, object], options), 'latin1');
}

async function restore(dir: string, known: readonly string[], added: readonly string[]): Promise<void> {
  const options = ['--pathspec-from-file=-', '--pathspec-file-nul'];
  const run = (args: readonly string[], paths: readonly string[]) =>
    paths.length === 0
      ? undefined
      : runGit(dir, ['--literal-pathspecs', ...args, ...options], { input: paths.join('\0') });
  await run(['checkout', '--quiet', 'HEAD'], known);
  await run(['rm', '--quiet', '--cached', '--ignore-unmatch'], added);
  for (const path of added) rmSync(join(dir, path), { force: true });
}

function fields(text: string): string[] {
  return text.split('\0').filter((field) => field !== '');
}

async function git(dir: string, args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<string> {
  return (await runGit(dir, args, { env, bytesMax: BYTES_MAX })).replace(/\n$/, '');
}
