import { statSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { lateLibrary } from '../../libraries/late-library.ts';

const lockfile = lateLibrary<typeof import('proper-lockfile')>('proper-lockfile');

/** A lock on a file, across processes. */
export interface FileLock {
  /** Another process may hold it now, because this machine was suspended for longer than a lock lasts, or the lock was removed. */
  readonly isLost: boolean;
  release(): Promise<void>;
}

export interface LockPatience {
  /** Milliseconds without a refresh after which a lock is stale. */
  readonly stale: number;
  /** How many retries, and the longest pause between them. */
  readonly tries?: number;
  readonly restMs?: number;
}

/** Waits for the lock of a file, which need not exist; rejects with `ELOCKED` if another process keeps it. */
export async function lockFile(file: string, { stale, tries = 0, restMs = 0 }: LockPatience): Promise<FileLock> {
  for (let left = tries; ; left -= 1) {
    try {
      return await tryLock(file, stale);
    } catch (thrown) {
      // Waiting helps only against another holder, not against an unwritable folder.
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
    // The library calls this in a timer, where throwing would end the process.
    onCompromised: () => {
      isKnownLost = true;
    },
  });
  const made = inodeOf(`${file}.lock`);
  // The library checks only every few seconds. Once lost, it stays lost, because a new lock may reuse the inode.
  const isLost = () => {
    isKnownLost ||= made === undefined || inodeOf(`${file}.lock`) !== made;
    return isKnownLost;
  };
  return {
    get isLost() {
      return isLost();
    },
    release: async () => {
      // The library would remove the current lock, which may belong to another process.
      if (isLost()) return;
      await release().catch(() => {
        // The work is done; a lock that cannot be removed expires.
      });
    },
  };
}

/** Identifies the lock's folder; undefined: it is gone. */
function inodeOf(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.ino;
}
