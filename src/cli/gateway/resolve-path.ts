import { readlinkSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join, parse, posix, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** What lies below no root. */
const NOWHERE = '\0';
/** In the place of the target of a link: there is nothing at all, or nothing that we may see. */
const NOTHING = Symbol('nothing');
const DRIVE = /^[A-Za-z]:[\\/]/;
/** Longer ones no system opens, and somebody who sends many of them wants to keep others waiting. */
const PATH_CHARS_MAX = 4_096;
/** As many as Linux follows. */
const LINKS_MAX = 40;
const STEP_BACK = /(?:^|\\)\.\.(?:\\|$)/;

/** A path of a call's arguments as an absolute one, with the links of its existing part followed. */
export function resolveArgumentPath(path: string, cwd: string): string {
  const plain = plainPath(path);
  if (plain === undefined || plain.length > PATH_CHARS_MAX) return NOWHERE;
  // A drive of another system is no folder here, and lies below a root on that drive alone.
  if (process.platform !== 'win32' && DRIVE.test(plain)) return posix.normalize(plain.replaceAll('\\', '/'));
  return followLinks(resolve(cwd, STEP_BACK.test(plain) ? plain.replaceAll('\\', '/') : plain));
}

/** The path that a text names; undefined where nobody here can say where that is. */
function plainPath(path: string): string | undefined {
  if (path === '~' || path.startsWith('~/')) return join(homedir(), path.slice(1));
  // Another person's home.
  if (path.startsWith('~')) return undefined;
  if (!/^file:/i.test(path) || !URL.canParse(path)) return path;
  try {
    return fileURLToPath(path);
  } catch {
    // Of another machine, or with a slash that is hidden.
    return undefined;
  }
}

/** From the root on, a name at a time. What is not there has no links; a link that leads to nothing leads there all the same. */
function followLinks(path: string): string {
  let real = parse(path).root;
  const names = namesOf(path);
  for (let links = 0; names.length > 0; ) {
    const next = join(real, names.pop() as string);
    const target = targetOf(next);
    if (target === NOTHING) return join(next, ...names.reverse());
    if (target === undefined) real = next;
    else {
      links += 1;
      if (links > LINKS_MAX) return NOWHERE;
      real = isAbsolute(target) ? parse(target).root : dirname(next);
      names.push(...namesOf(target));
    }
  }
  return real;
}

/** The last first. */
function namesOf(path: string): string[] {
  return path
    .slice(parse(path).root.length)
    .split(process.platform === 'win32' ? /[\\/]/ : '/')
    .filter((name) => name !== '')
    .reverse();
}

/** Where a link leads; undefined where it is none. */
function targetOf(path: string): string | typeof NOTHING | undefined {
  try {
    return readlinkSync(path);
  } catch (thrown) {
    const { code } = thrown as NodeJS.ErrnoException;
    return code === 'EINVAL' || code === 'UNKNOWN' ? undefined : NOTHING;
  }
}
