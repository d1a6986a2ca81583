import { statSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { lateLibrary } from '../../libraries/late-library.ts';

const lockfile = lateLibrary<typeof import('proper-lockfile')>('proper-lockfile');

/** A lock beside a file that other processes respect. */
export interface FileLock {
  /** Another process may hold it now: this machine slept for longer than a lock lasts, or the lock was removed. */
  readonly isLost: boolean;
  release(): Promise<void>;
}

export interface LockPatience {
  /** A lock that was not refreshed for so long is stale. */
  readonly stale: number;
  /** How often it is tried again, and the longest rest between two tries. */
  readonly tries?: number;
  readonly restMs?: number;
}

/** Waits for the lock of a file, which need not exist; rejects with `ELOCKED` where another keeps it. */
export async function lockFile(file: string, { stale, tries = 0, restMs = 0 }: LockPatience): Promise<FileLock> {
  for (let left = tries; ; left -= 1) {
    try {
      return await tryLock(file, stale);
    } catch (thrown) {
      // Only another holder goes away by waiting: a folder that cannot be written stays as it is.
      if (left <= 0 || (thrown as NodeJS.ErrnoException).code !== 'ELOCKED') throw thrown;
      await wait(restMs * (0.5 + Math.random() / 2));
    }
  }
}

async function tryLock(file: string, stale: number): Promise<FileLock> {
  let isKnownLost = false;
  const release = await lockfile().lock(file, {
    stale,
    realpath: false,
    // The library finds this out in a timer, where what is thrown ends the process.
    onCompromised: () => {
      isKnownLost = true;
    },
  });
  const made = inodeOf(`${file}.lock`);
  // The library looks only every few seconds. Once lost, it stays lost: another lock may get the number of this folder.
  const isLost = () => {
    isKnownLost ||= made === undefined || inodeOf(`${file}.lock`) !== made;
    return isKnownLost;
  };
  return {
    get isLost() {
      return isLost();
    },
    release: async () => {
      // The library would remove whatever lock is there now, which may be another's.
      if (isLost()) return;
      await release().catch(() => {
        // The work is done; a lock that cannot be removed expires.
      });
    },
  };
}

/** Which folder the lock is; undefined: it is gone. */
function inodeOf(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.ino;
}
