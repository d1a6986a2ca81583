import { realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A path of a call's arguments as an absolute one, with the links of its existing part followed. */
export function resolveArgumentPath(path: string, cwd: string): string {
  const plain = path.startsWith('file:') && URL.canParse(path) ? fileURLToPath(path) : path;
  const absolute = resolve(cwd, plain.startsWith('~') ? join(homedir(), plain.slice(1)) : plain);
  return followLinks(absolute);
}

function followLinks(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    const parent = dirname(path);
    return parent === path ? path : join(followLinks(parent), path.slice(parent.length));
  }
}
