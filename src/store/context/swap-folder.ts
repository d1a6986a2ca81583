import { createHash, randomBytes } from 'node:crypto';
import { closeSync, existsSync, fsync, fsyncSync, mkdirSync, openSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import type { ReachStep } from './build-steps.ts';

const BUILD_FOLDER = /^\.bindery-[0-9a-f]{12}-(new|old)-(\d+)-[0-9a-f]{8}$/;

/**
 * Names of the folders that builds of this process are using. The process id is not enough: in a container every run has the same one,
 * including the killed run.
 */
const inUse = new Set<string>();

/** Whether a name is a build's temporary folder next to the cache. */
export function isBuildFolder(name: string): boolean {
  return BUILD_FOLDER.test(name);
}

/**
 * A folder that replaces `target` once complete. Until then the old one stays; folders left by a killed process are removed by the next
 * build of the same target.
 */
export class FolderSwap {
  readonly folder: string;
  readonly #target: string;
  readonly #old: string;

  constructor(target: string) {
    this.#target = target;
    mkdirSync(dirname(target), { recursive: true });
    cleanUpBeside(target);
    this.folder = buildFolder(target, 'new');
    this.#old = buildFolder(target, 'old');
    for (const folder of [this.folder, this.#old]) inUse.add(basename(folder));
    mkdirSync(this.folder);
  }

  /** Puts the new folder in place. */
  commit(replace: boolean, reach: ReachStep): void {
    syncFolder(this.folder);
    const hasOld = replace && existsSync(this.#target);
    if (hasOld) renameSync(this.#target, this.#old);
    reach('old cache moved aside');
    try {
      renameSync(this.folder, this.#target);
    } catch (thrown) {
      if (hasOld) renameSync(this.#old, this.#target);
      throw thrown;
    }
    reach('new cache in place');
    syncFolder(dirname(this.#target));
    if (hasOld) rmSync(this.#old, { recursive: true, force: true });
    reach('old cache removed');
  }

  /** Removes the new folder if it was not put in place. */
  discard(): void {
    for (const folder of [this.folder, this.#old]) inUse.delete(basename(folder));
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** Fsyncs a folder; not every file system supports it. */
function syncFolder(path: string): void {
  if (process.platform === 'win32') return;
  const folder = openSync(path, 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}

/** The same, in the background. */
export async function syncInBackground(path: string): Promise<void> {
  if (process.platform === 'win32') return;
  const folder = openSync(path, 'r');
  try {
    await promisify(fsync)(folder);
  } finally {
    closeSync(folder);
  }
}

/** Removes leftovers of killed builds of this target. An old cache that was moved aside is restored first if nothing replaced it. */
function cleanUpBeside(target: string): void {
  const parent = dirname(target);
  const prefix = `${buildPrefix(target)}-`;
  for (const name of readdirSync(parent)) {
    const [, kind, owner] = BUILD_FOLDER.exec(name) ?? [];
    if (!kind || !name.startsWith(prefix) || isInUse(name, Number(owner))) continue;
    if (kind === 'old' && !existsSync(target)) renameSync(join(parent, name), target);
    else rmSync(join(parent, name), { recursive: true, force: true });
  }
}

function buildFolder(target: string, kind: 'new' | 'old'): string {
  const unique = `${process.pid}-${randomBytes(4).toString('hex')}`;
  return join(dirname(target), `${buildPrefix(target)}-${kind}-${unique}`);
}

/** The same length for every target, and different for `a.v1` and `a.v2`. */
function buildPrefix(target: string): string {
  return `.bindery-${createHash('sha256').update(basename(target)).digest('hex').slice(0, 12)}`;
}

function isInUse(name: string, owner: number): boolean {
  if (owner === process.pid) return inUse.has(name);
  try {
    process.kill(owner, 0);
    return true;
  } catch (thrown) {
    return (thrown as NodeJS.ErrnoException).code === 'EPERM';
  }
}
