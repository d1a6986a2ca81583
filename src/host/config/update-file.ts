import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { BinderyError } from '../../contract/errors.ts';
import { LIMITS } from '../../contract/limits.ts';
import { readSuppliedFile } from '../../files/read-supplied-file.ts';
import { asUnwritable, replaceFile } from '../../files/replace-file.ts';
import { type FileLock, lockFile } from './file-lock.ts';

/** How long the lock of a process on another machine is respected without a refresh. */
const LOCK_STALE_MS = 5_000;
const LOCK_TRIES = 60;
const LOCK_REST_MS = 200;

export interface UpdateOptions {
  /** Mode of a new file; an existing one keeps its own. */
  readonly mode: number;
  /** Links must not lead out of this folder. */
  readonly within?: string | undefined;
}

/**
 * Reads, changes and replaces a file under a lock that other processes respect. Atomic: a reader, or a crash at any moment, finds the
 * old or the new bytes. Does not write an unchanged text.
 */
export async function updateFile(
  file: string,
  change: (text: string | undefined) => string | Promise<string>,
  { mode, within }: UpdateOptions,
): Promise<void> {
  const lock = await openFolder(file, mode);
  try {
    const before = await asUnwritable(file, () => readText(file, within));
    const after = await change(before);
    if (after === before) return;
    // The data may be stale: another process may have taken the lock and written.
    if (lock.isLost) throw new BinderyError('CONFIG_BUSY');
    await asUnwritable(file, () => replaceFile(file, after, mode));
  } finally {
    await lock.release();
  }
}

/** Throws `CONFIG_UNWRITABLE` if the file cannot be written; writes nothing. */
export async function ensureWritable(file: string, mode: number): Promise<void> {
  const lock = await openFolder(file, mode);
  await lock.release();
}

/** Creates the folder of a file and locks the file. */
async function openFolder(file: string, mode: number): Promise<FileLock> {
  await asUnwritable(file, () => mkdir(dirname(file), { recursive: true, mode: mode === 0o600 ? 0o700 : 0o755 }));
  return asUnwritable(file, () => acquire(file));
}

/** The text of a config file; undefined if it does not exist. Links must not lead out of `within`. */
export async function readText(file: string, within?: string): Promise<string | undefined> {
  const bytes = await readSuppliedFile({ path: file, within, bytesMax: LIMITS.configFileBytesMax });
  return bytes?.toString('utf8');
}

async function acquire(file: string): Promise<FileLock> {
  try {
    return await lockFile(file, { stale: LOCK_STALE_MS, tries: LOCK_TRIES, restMs: LOCK_REST_MS });
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'ELOCKED') throw new BinderyError('CONFIG_BUSY', { cause: thrown });
    throw thrown;
  }
}
