import { randomUUID } from 'node:crypto';
import { linkSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Writes a file atomically, readable by its owner only: it is renamed into place once complete, so neither a full disk nor another process
 * leaves or sees a partial file.
 */
export function writeAtomic(file: string, content: string | Uint8Array): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const unfinished = `${file}.${randomUUID()}`;
  try {
    writeFileSync(unfinished, content, { mode: 0o600, flag: 'wx', flush: true });
    linkExclusive(unfinished, file);
  } finally {
    rmSync(unfinished, { force: true });
  }
}

/** Two processes may start at once: the first link wins. */
function linkExclusive(unfinished: string, file: string): void {
  try {
    linkSync(unfinished, file);
  } catch (error) {
    // Not every file system has hard links; without them the last rename wins.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') renameSync(unfinished, file);
  }
}
