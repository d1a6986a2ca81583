import { existsSync } from 'node:fs';
import { mkdir, open, readdir, rmdir, stat, unlink, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { isOwnerName, newOwnerName, stateOf } from './lock-owner.ts';

/** A lock on a file, across processes. */
export interface FileLock {
  /** Another process may hold it now, because this machine was suspended for longer than a lock lasts, or the lock was removed. */
  readonly isLost: boolean;
  release(): Promise<void>;
}

export interface LockPatience {
  /** Milliseconds without a refresh after which a lock is stale, unless its owner is known to run. */
  readonly stale: number;
  /** How many retries, and the longest pause between them. */
  readonly tries?: number;
  readonly restMs?: number;
}

/** How often an attempt starts again because another process removed the folder of the lock. */
const VANISHES_MAX = 20;

/** Waits for the lock of a file, which need not exist; rejects with `ELOCKED` if another process keeps it. */
export async function lockFile(file: string, { stale, tries = 0, restMs = 0 }: LockPatience): Promise<FileLock> {
  for (let left = tries; ; left -= 1) {
    const lock = await tryLock(`${file}.lock`, stale);
    if (lock) return lock;
    if (left <= 0) throw Object.assign(new Error(`${file} is locked`), { code: 'ELOCKED' });
    await wait(restMs * (0.5 + Math.random() / 2));
  }
}

/**
 * A lock is a folder with one file, whose name says who owns it: a process that was killed is known at once, and one that runs keeps the
 * lock however long it takes. (proper-lockfile knows only when a lock was refreshed.) A process that put its name there and finds no
 * other name has the lock: of two concurrent attempts at most one succeeds. A name is removed by its owner, or once its owner has ended.
 */
async function tryLock(folder: string, stale: number): Promise<FileLock | undefined> {
  const owner = join(folder, newOwnerName());
  for (let left = VANISHES_MAX; left > 0; left -= 1) {
    await mkdir(folder).catch(unless('EEXIST'));
    if (await isHeld(folder, stale)) return undefined;
    const file = await open(owner, 'wx', 0o600).catch(unless('ENOENT'));
    if (!file) continue;
    await file.close();
    const owners = await ownersIn(folder);
    if (owners.length === 1 && existsSync(owner)) return heldLock(folder, owner, stale);
    await remove(folder, owner);
    return undefined;
  }
  return undefined;
}

/** Whether another owns the lock. Owners that have ended are removed. */
async function isHeld(folder: string, stale: number): Promise<boolean> {
  for (const name of await ownersIn(folder)) {
    const owner = join(folder, name);
    const state = stateOf(name);
    if (state === 'runs' || (state === 'unknown' && !(await isOlder(owner, stale)))) return true;
    await unlink(owner).catch(unless('ENOENT'));
  }
  return false;
}

function heldLock(folder: string, owner: string, stale: number): FileLock {
  // For processes on other machines, which do not know whether this one runs.
  const refresh = setInterval(() => {
    const now = new Date();
    utimes(owner, now, now).catch(() => {
      // The lock is lost, or expires: `isLost` says so before anything is written.
    });
  }, stale / 2).unref();
  let isKnownLost = false;
  return {
    get isLost() {
      isKnownLost ||= !existsSync(owner);
      return isKnownLost;
    },
    release: async () => {
      clearInterval(refresh);
      await remove(folder, owner).catch(() => {
        // The work is done; a lock that cannot be removed ends with this process.
      });
    },
  };
}

async function remove(folder: string, owner: string): Promise<void> {
  await unlink(owner).catch(unless('ENOENT'));
  // Another may own it already.
  await rmdir(folder).catch(unless('ENOENT', 'ENOTEMPTY', 'EEXIST'));
}

async function ownersIn(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch(unless('ENOENT'));
  return (names ?? []).filter(isOwnerName);
}

async function isOlder(path: string, ms: number): Promise<boolean> {
  const found = await stat(path).catch(unless('ENOENT'));
  return found === undefined || Date.now() - found.mtimeMs > ms;
}

/** Lets these failures pass as undefined. */
function unless(...codes: readonly string[]): (thrown: NodeJS.ErrnoException) => undefined {
  return (thrown) => {
    if (!codes.includes(thrown.code ?? '')) throw thrown;
    return undefined;
  };
}
