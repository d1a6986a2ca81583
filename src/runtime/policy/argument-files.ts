import { lstatSync, readlinkSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join, parse, posix, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { GATEWAY_LIMITS } from '../../gateway/limits.ts';
import type { ArgumentFiles } from '../../gateway/policy/argument-places.ts';
import type { ConfiguredServer } from '../../host/config/configured-servers.ts';
import { serversDirIn } from '../../host/config/launch-place.ts';
import { toServerSpec } from '../../host/config/to-server-spec.ts';

/** The input for resolving paths in arguments. */
export interface FilesOfServer {
  /** Undefined if the server is not configured: it is built in, or a person asks about it beforehand. */
  readonly server: ConfiguredServer | undefined;
  readonly projectDir: string;
  readonly dataDir: string;
  readonly env: NodeJS.ProcessEnv;
  /** The client can send roots to the server, and then relative paths may start from those. */
  readonly hasClientRoots: boolean;
}

/** The files that a server's programs see, as far as this process can know. */
export function filesOfServer({ server, projectDir, dataDir, env, hasClientRoots }: FilesOfServer): ArgumentFiles {
  const { entry } = server ?? {};
  const places = { env, projectDir, serversDir: serversDirIn(dataDir) };
  const { spec } = server && entry ? toServerSpec({ ...server, entry }, places) : {};
  const isHere = entry === undefined || entry.transport === 'stdio';
  const stdio = spec?.transport === 'stdio' ? spec : undefined;
  const fallback = resolve(projectDir, isHere ? (entry?.cwd ?? '.') : '.');
  const cwdHere = stdio?.cwd ?? fallback;
  // Policy refers to the project's folders, even if the server has its own working directory.
  const base = stdio?.isOwnCwd ? projectDir : cwdHere;
  const home = stdio?.env?.HOME ?? env.HOME;
  const canBeToldRoots = hasClientRoots && entry !== undefined && entry.sharing !== 'shared';
  const cwd = !isHere ? { unknown: ELSEWHERE } : canBeToldRoots ? { unknown: ROOTS } : cwdHere;
  return argumentFiles({ cwd, base, home: home || homedir() });
}

const ELSEWHERE = 'is relative, and the working directory of a server over HTTP is not known: write an absolute path';
const ROOTS = 'is relative, and may start from any root that the client tells the server of: write an absolute path';

export interface ArgumentFilesOptions extends Pick<ArgumentFiles, 'cwd' | 'home'> {
  /** The folder that relative roots of policy start from. */
  readonly base: string;
}

/** For one judgement: caches each link lookup. */
export function argumentFiles({ cwd, home, base }: ArgumentFilesOptions): ArgumentFiles {
  const targets = new Map<string, LinkTarget>();
  const targetOf = (path: string): LinkTarget => {
    const known = targets.get(path);
    if (known !== undefined) return known;
    const target = readTarget(path);
    targets.set(path, target);
    return target;
  };
  return {
    cwd,
    home,
    root: (written) => {
      const path = rootPath(written, home, base);
      return path === undefined ? undefined : (foreignDrive(path) ?? follow(path, targetOf));
    },
    open: (path) => {
      const foreign = foreignDrive(path);
      if (foreign !== undefined) return [foreign];
      if (path.length > 2 * GATEWAY_LIMITS.pathCharsMax) return undefined;
      // The system resolves a link before `..`; programs that normalise the path first do not. So check both.
      const walked = follow(path, targetOf);
      const normalised = isNormal(path) ? walked : follow(resolve(path), targetOf);
      return walked === undefined || normalised === undefined ? undefined : [walked, normalised];
    },
    exists: (path) => {
      try {
        return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
      } catch (thrown) {
        return !isNothing(thrown);
      }
    },
  };
}

/** The target of a link, or: no link (`plain`), missing (`nothing`), not readable (`unknown`). */
type LinkTarget = { readonly link: string } | 'plain' | 'nothing' | 'unknown';

const DRIVE = /^[A-Za-z]:[\\/]/;
/** The limit of Linux. */
const LINKS_MAX = 40;

function rootPath(written: string, home: string, base: string): string | undefined {
  if (written === '~' || written.startsWith('~/')) return join(home, written.slice(1));
  if (!/^file:/i.test(written)) return DRIVE.test(written) ? written : resolve(base, written);
  try {
    return fileURLToPath(written);
  } catch {
    // The URL names another machine.
    return undefined;
  }
}

/** A drive letter of another system is no folder here, and lies only below a root on that drive. */
function foreignDrive(path: string): string | undefined {
  if (process.platform === 'win32' || !DRIVE.test(path)) return undefined;
  const plain = posix.normalize(path.replaceAll('\\', '/'));
  return plain[0]?.toUpperCase() + plain.slice(1);
}

/**
 * Resolves links from the root on, one name at a time. Missing names have no links; a dangling link resolves to its target. Undefined
 * if the path cannot be resolved: links in /proc differ between processes.
 */
function follow(path: string, targetOf: (path: string) => LinkTarget): string | undefined {
  let real = parse(path).root;
  const names = namesOf(path);
  for (let links = 0; names.length > 0; ) {
    const name = names.pop() as string;
    if (name === '..') {
      real = dirname(real);
      continue;
    }
    const next = join(real, name);
    if (next === '/proc') return undefined;
    const target = targetOf(next);
    if (target === 'unknown') return undefined;
    if (target === 'nothing') return slashed(below(next, names.reverse()));
    if (target === 'plain') real = next;
    else {
      links += 1;
      if (links > LINKS_MAX) return undefined;
      if (isAbsolute(target.link)) real = parse(target.link).root;
      names.push(...namesOf(target.link));
    }
  }
  return slashed(real);
}

/** Whether normalising an absolute path changes nothing that `follow` reads. */
function isNormal(path: string): boolean {
  return sep === '/' && path.startsWith('/') && !/\/\.\.(?:\/|$)/.test(path);
}

/** A folder with further names; without `..` there is nothing to normalise. */
function below(folder: string, names: readonly string[]): string {
  if (names.includes('..')) return join(folder, ...names);
  return names.length === 0 ? folder : `${folder}${sep}${names.join(sep)}`;
}

/** The names of a path, last first. */
function namesOf(path: string): string[] {
  return path
    .slice(parse(path).root.length)
    .split(process.platform === 'win32' ? /[\\/]/ : '/')
    .filter((name) => name !== '' && name !== '.')
    .reverse();
}

function slashed(path: string): string {
  return process.platform === 'win32' ? path.replaceAll('\\', '/') : path;
}

function readTarget(path: string): LinkTarget {
  try {
    return { link: readlinkSync(path) };
  } catch (thrown) {
    const { code } = thrown as NodeJS.ErrnoException;
    if (code === 'EINVAL' || code === 'UNKNOWN') return 'plain';
    return isNothing(thrown) ? 'nothing' : 'unknown';
  }
}

function isNothing(thrown: unknown): boolean {
  return ['ENOENT', 'ENOTDIR', 'ENAMETOOLONG'].includes((thrown as NodeJS.ErrnoException).code ?? '');
}
