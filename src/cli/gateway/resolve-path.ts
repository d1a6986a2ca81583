import { realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, posix, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** What lies below no root. */
const NOWHERE = '\0';
const DRIVE = /^[A-Za-z]:[\\/]/;
const STEP_BACK = /(?:^|\\)\.\.(?:\\|$)/;

/** A path of a call's arguments as an absolute one, with the links of its existing part followed. */
export function resolveArgumentPath(path: string, cwd: string): string {
  const plain = plainPath(path);
  if (plain === undefined) return NOWHERE;
  // A drive of another system is no folder here, and lies below a root on that drive alone.
  if (process.platform !== 'win32' && DRIVE.test(plain)) return posix.normalize(plain.replaceAll('\\', '/'));
  return followLinks(resolve(cwd, STEP_BACK.test(plain) ? plain.replaceAll('\\', '/') : plain));
}

/** The path that a text names; undefined where nobody here can say where that is. */
function plainPath(path: string): string | undefined {
  if (path === '~' || path.startsWith('~/')) return join(homedir(), path.slice(1));
  // Another person's home.
  if (path.startsWith('~')) return undefined;
  if (!path.startsWith('file:') || !URL.canParse(path)) return path;
  try {
    return fileURLToPath(path);
  } catch {
    // Of another machine, or with a slash that is hidden.
    return undefined;
  }
}

function followLinks(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    const parent = dirname(path);
    return parent === path ? path : join(followLinks(parent), path.slice(parent.length));
  }
}
