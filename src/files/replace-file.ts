import { randomUUID } from 'node:crypto';
import { open, readdir, realpath, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { BinderyError } from '../contract/errors.ts';

/** A write takes milliseconds: an older temporary file belongs to a process that was killed. */
const ABANDONED_AFTER_MS = 2_000;

/**
 * Replaces a file, or the target of a link, atomically: a reader finds the old bytes or the new ones. An existing file keeps its
 * mode and its owner.
 */
export async function replaceFile(file: string, content: string | Uint8Array, modeOfNew: number): Promise<void> {
  const target = await realpath(file).catch(() => file);
  const before = await stat(target).catch(() => undefined);
  await removeAbandoned(target).catch(() => {
    // Leftovers are harmless.
  });
  const temporary = temporaryBeside(target);
  try {
    const handle = await open(temporary, 'wx', 0o600);
    try {
      await handle.writeFile(content);
      await handle.sync();
      // Not every user may change the owner, and not every file system has modes: then the file stays private.
      if (before) await handle.chown(before.uid, before.gid).catch(() => {});
      await handle.chmod(before === undefined ? modeOfNew : before.mode & 0o7777).catch(() => {});
    } finally {
      await handle.close();
    }
    await rename(temporary, target);
  } catch (thrown) {
    await rm(temporary, { force: true });
    throw thrown;
  }
}

const TEMPORARY_END = '.tmp';

/** The name of a temporary file beside a file; it has the id of this process. */
export function temporaryBeside(file: string): string {
  return `${temporaryStart(file)}${process.pid}-${randomUUID()}${TEMPORARY_END}`;
}

/** The process that made a temporary file with this name; undefined for any other name. */
export function temporaryOwner(name: string): number | undefined {
  const [, pid] = /^\..+\.bindery-(\d+)-[\da-f-]{36}\.tmp$/.exec(name) ?? [];
  return pid === undefined ? undefined : Number(pid);
}

/** A prefix that no other program uses: people number their backups. */
function temporaryStart(file: string): string {
  return join(dirname(file), `.${basename(file)}.bindery-`);
}

/** Removes the temporary files that killed writers left beside a file. */
export async function removeAbandoned(file: string): Promise<void> {
  for (const path of await abandonedBeside(file)) await rm(path, { force: true });
}

/** The temporary files of killed writers beside a file, or beside the target of a link. */
export async function abandonedBeside(file: string): Promise<string[]> {
  const target = await realpath(file).catch(() => file);
  const start = basename(temporaryStart(target));
  const abandoned: string[] = [];
  for (const name of await readdir(dirname(target)).catch(noFolder)) {
    if (!name.startsWith(start) || !name.endsWith(TEMPORARY_END)) continue;
    const path = join(dirname(target), name);
    const [, writer] = /^(\d+)-/.exec(name.slice(start.length)) ?? [];
    const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: Number.POSITIVE_INFINITY }));
    if (Date.now() - mtimeMs > ABANDONED_AFTER_MS || (writer !== undefined && hasEnded(Number(writer))))
      abandoned.push(path);
  }
  return abandoned;
}

function noFolder(thrown: NodeJS.ErrnoException): string[] {
  if (thrown.code === 'ENOENT' || thrown.code === 'ENOTDIR') return [];
  throw thrown;
}

/** Whether no process has this number. */
export function hasEnded(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return false;
  } catch (thrown) {
    return (thrown as NodeJS.ErrnoException).code === 'ESRCH';
  }
}

/** A full disk, a missing permission or a folder in place of the file is a problem that a person can fix, not an internal error. */
export async function asUnwritable<T>(file: string, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    const { code } = thrown as NodeJS.ErrnoException;
    if (thrown instanceof BinderyError || code === undefined) throw thrown;
    throw new BinderyError('CONFIG_UNWRITABLE', { detail: `${file} (${code})`, cause: thrown });
  }
}
