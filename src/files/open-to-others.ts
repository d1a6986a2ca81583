import { statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/**
 * Whether other users of this machine can read a file of this user. Only modes are looked at: Windows has access control lists instead.
 */
export function isOpenToOthers(path: string): boolean {
  if (process.platform === 'win32') return false;
  const found = statSync(path, { throwIfNoEntry: false });
  // A secret that a container mounts belongs to someone else, and has the mode that it was given.
  if (!found || found.uid !== process.getuid?.()) return false;
  const folder = statSync(dirname(resolve(path)));
  return (found.mode & 0o044) !== 0 && (folder.mode & 0o011) !== 0;
}
