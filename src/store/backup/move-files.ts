import { chmodSync, copyFileSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';

export interface Move {
  readonly from: string;
  readonly to: string;
}

/** Makes all moves; if one fails, reverts the earlier ones in reverse order. */
export function moveFiles(moves: readonly Move[]): void {
  const done: Move[] = [];
  try {
    for (const move of moves) {
      moveFile(move);
      done.unshift(move);
    }
  } catch (thrown) {
    for (const { from, to } of done) takeBack({ from: to, to: from });
    throw thrown;
  }
}

/** Moves a file, even across disks. */
export function moveFile({ from, to }: Move): void {
  mkdirSync(dirname(to), { recursive: true, mode: 0o700 });
  try {
    renameSync(from, to);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EXDEV') throw error;
    copyWhole(from, to);
    rmSync(from);
  }
}

/** A file that cannot be moved back stays for its owner to find; the others go back. */
function takeBack(move: Move): void {
  try {
    moveFile(move);
  } catch {
    // Only the original failure is reported.
  }
}

/** Removes a partial copy, which would look like the file. */
function copyWhole(from: string, to: string): void {
  try {
    copyFileSync(from, to);
    chmodSync(to, 0o600);
  } catch (thrown) {
    rmSync(to, { force: true });
    throw thrown;
  }
}
