import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { BinderyError } from '../../contract/errors.ts';
import { LIMITS } from '../../contract/limits.ts';
import { readSuppliedFile } from '../../files/read-supplied-file.ts';
import { type FileLock, lockFile } from './file-lock.ts';
import { replaceFile } from './replace-file.ts';

/** A lock that was not refreshed for this long is stale (its process was killed). */
const LOCK_STALE_MS = 5_000;
const LOCK_TRIES = 60;
const LOCK_TRY_MS = 150;

export interface UpdateOptions {
  /** Mode of a file that is made; an existing one keeps its own. */
  readonly mode: number;
  /** Links may not lead out of this folder. */
  readonly within?: string | undefined;
}

/**
 * Reads, changes and replaces a file as one step: under a lock that other processes respect, and so that a reader (or a
 * crash at any moment) finds the old bytes or the new ones. An unchanged text is not written.
 */
export async function updateFile(
  file: string,
  change: (text: string | undefined) => string | Promise<string>,
  { mode, within }: UpdateOptions,
): Promise<void> {
  await asUnwritable(() => mkdir(dirname(file), { recursive: true, mode: mode === 0o600 ? 0o700 : 0o755 }));
  const lock = await asUnwritable(() => acquire(file));
  try {
    const before = await asUnwritable(() => readText(file, within));
    const after = await change(before);
    if (after === before) return;
    // The data may be stale: the process that took the lock may have written meanwhile.
    if (lock.isLost) throw new BinderyError('CONFIG_BUSY');
    await asUnwritable(() => replaceFile(file, after, mode));
  } finally {
    await lock.release();
  }
}

/** The text of a config file; undefined if there is none. Links may not lead out of `within`. */
export async function readText(file: string, within?: string): Promise<string | undefined> {
  const bytes = await readSuppliedFile({ path: file, within, bytesMax: LIMITS.configFileBytesMax });
  return bytes?.toString('utf8');
}

async function acquire(file: string): Promise<FileLock> {
  try {
    return await lockFile(file, {
      stale: LOCK_STALE_MS,
      retries: { retries: LOCK_TRIES, factor: 1, minTimeout: LOCK_TRY_MS, maxTimeout: LOCK_TRY_MS, randomize: true },
    });
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'ELOCKED') throw new BinderyError('CONFIG_BUSY', { cause: thrown });
    throw thrown;
  }
}

/** A full disk, a missing permission, a folder in place of the file: the person's to mend, not an internal error. */
async function asUnwritable<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    if (thrown instanceof BinderyError || (thrown as NodeJS.ErrnoException).code === undefined) throw thrown;
    throw new BinderyError('CONFIG_UNWRITABLE', { cause: thrown });
  }
}
