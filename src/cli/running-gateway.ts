import { randomUUID } from 'node:crypto';
import { mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { BinderyError, isStoreFailure } from '../contract/errors.ts';
import { type ExclusiveLock, isLocked, tryLock, tryWatchedLock } from '../store/exclusive-lock.ts';
import { accessRemedy } from './access-remedy.ts';

/** A process that serves `/mcp` and `/v1` with this data directory. */
export interface Announcement {
  readonly url: string;
  readonly pid: number;
  /** The folder of its project. */
  readonly cwd: string;
  /** The database of its registry; undefined if it did not announce one. */
  readonly registry?: string;
  /** The policy file that it was started with. */
  readonly policy?: string;
}

interface AnnouncedSettings {
  readonly cwd: string;
  readonly registryFile: string;
  readonly policyFile?: string | undefined;
}

/** A data directory that this process serves; no other gateway announces itself there. */
export interface ClaimedDataDir {
  /** Tells commands with the same data directory the address of this process. */
  announce(url: string, settings: AnnouncedSettings): void;
  /** Withdraws the announcement. */
  takeBack(): void;
  /** Releases the directory for another gateway. */
  release(): void;
}

/**
 * Claims a data directory for the gateway of this process. Throws `GATEWAY_RUNNING` if another gateway holds it. The claim is a lock
 * of the operating system, so a killed gateway leaves none behind, even if its process id is reused.
 */
export async function claimDataDir(dataDir: string): Promise<ClaimedDataDir> {
  const lock = inDataDir(dataDir, () => {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    return tryWatchedLock(lockIn(dataDir));
  });
  if (!lock) throw alreadyRunning(dataDir, await readAnnouncement(fileIn(dataDir)));
  return holding(fileIn(dataDir), lock);
}

/** Claims a data directory as soon as another gateway releases it. Until then only `findBeside` finds this one. */
export function claimWhenFree(dataDir: string): ClaimedDataDir {
  let beside: ClaimedDataDir | undefined;
  let announced: Parameters<ClaimedDataDir['announce']> | undefined;
  let claim: ClaimedDataDir | undefined;
  const take = () => {
    const lock = claim === undefined && announced !== undefined ? tryLock(lockIn(dataDir)) : undefined;
    if (lock === undefined) return;
    beside?.release();
    beside = undefined;
    claim = holding(fileIn(dataDir), lock);
    if (announced !== undefined) claim.announce(...announced);
  };
  const timer = setInterval(take, TAKE_OVER_EVERY_MS).unref();
  const takeBack = () => {
    clearInterval(timer);
    announced = undefined;
    beside?.takeBack();
    claim?.takeBack();
  };
  return {
    announce: (...announcement) => {
      announced = announcement;
      take();
      if (claim) return;
      beside = claimBeside(dataDir);
      beside.announce(...announcement);
    },
    takeBack,
    release: () => {
      takeBack();
      beside?.release();
      claim?.release();
    },
  };
}

/** A gateway beside another has its own lock and announcement. Removes those of killed gateways. */
function claimBeside(dataDir: string): ClaimedDataDir {
  for (const file of besideFiles(dataDir)) {
    if (isLocked(lockOf(file))) continue;
    rmSync(file, { force: true });
    rmSync(lockOf(file), { force: true });
  }
  const file = join(dataDir, `beside-${randomUUID()}.json`);
  const lock = inDataDir(dataDir, () => tryLock(lockOf(file)));
  if (!lock) throw new Error(`${lockOf(file)} is locked, and was just made`);
  const claim = holding(file, lock);
  return {
    ...claim,
    release: () => {
      claim.release();
      rmSync(lockOf(file), { force: true });
    },
  };
}

function besideFiles(dataDir: string): string[] {
  return readdirSync(dataDir)
    .filter((name) => /^beside-[0-9a-f-]{36}\.json$/.test(name))
    .sort()
    .map((name) => join(dataDir, name));
}

function lockOf(file: string): string {
  return file.replace(/\.json$/, '.lock');
}

const TAKE_OVER_EVERY_MS = 1_000;

function holding(file: string, lock: ExclusiveLock): ClaimedDataDir {
  const takeBack = () => rmSync(file, { force: true });
  // Remove the announcement of a killed gateway.
  takeBack();
  return {
    announce: (url, { cwd, registryFile: registry, policyFile: policy }) => {
      // Written atomically for readers. It need not survive a crash of the machine, since no process does.
      const making = `${file}.${process.pid}`;
      rmSync(making, { force: true });
      const named = policy === undefined ? {} : { policy };
      const announcement: Announcement = { url, pid: process.pid, cwd, registry, ...named };
      writeFileSync(making, `${JSON.stringify(announcement)}\n`, { mode: 0o600, flag: 'wx' });
      renameSync(making, file);
    },
    takeBack,
    release: () => {
      takeBack();
      lock.close();
    },
  };
}

/** Runs work that needs a data directory. If the directory is the problem, the error explains it. */
export function inDataDir<T>(dataDir: string, work: () => T): T {
  try {
    return work();
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    const known = isStoreFailure(cause) ? message : code;
    const reason = known === undefined ? undefined : (DATA_DIR_REASONS[known] ?? known);
    if (reason === undefined) throw cause;
    throw new BinderyError('DATA_DIR_UNUSABLE', {
      detail: `${dataDir}: ${reason}`,
      cause,
      ...remedyFor(reason, dataDir),
    });
  }
}

const NOT_ALLOWED = 'this user may not read and write there';
const FULL = 'the disk is full';

/** Where the remedy of the table does not fit. */
function remedyFor(reason: string, dataDir: string): { readonly next?: string } {
  if (reason === NOT_ALLOWED) return { next: accessRemedy(dataDir) };
  if (reason === FULL) return { next: 'Free space on that disk, or set BINDERY_DATA_DIR to a folder on another one.' };
  return {};
}

const DATA_DIR_REASONS: Readonly<Record<string, string>> = {
  EEXIST: 'a file is in its place',
  ENOTDIR: 'a part of the path is a file',
  EACCES: NOT_ALLOWED,
  EPERM: NOT_ALLOWED,
  // SQLite's messages.
  'unable to open database file': NOT_ALLOWED,
  'database or disk is full': FULL,
  EROFS: 'the file system is read-only',
  ENOSPC: FULL,
};

/** The live gateway of this data directory. */
export async function findAnnouncement(dataDir: string): Promise<Announcement | undefined> {
  const announced = await readAnnouncement(fileIn(dataDir));
  return announced && isLocked(lockIn(dataDir)) ? announced : undefined;
}

/** Whether a process holds this data directory, from before it serves until it has exited. */
export function isClaimed(dataDir: string): boolean {
  return isLocked(lockIn(dataDir));
}

/** Whether a process, which served this data directory, still holds it; false once it has exited or another has taken over. */
export async function isHeldBy(dataDir: string, pid: number): Promise<boolean> {
  if (!isClaimed(dataDir)) return false;
  const running = await findAnnouncement(dataDir);
  return running === undefined || running.pid === pid;
}

/** The live gateways beside another one with this data directory. */
export async function findBeside(dataDir: string): Promise<Announcement[]> {
  const living = besideFiles(dataDir).filter((file) => isLocked(lockOf(file)));
  const announced = await Promise.all(living.map(readAnnouncement));
  return announced.filter((one) => one !== undefined);
}

async function readAnnouncement(file: string): Promise<Announcement | undefined> {
  return parse(await readFile(file, 'utf8').catch(() => undefined));
}

function alreadyRunning(dataDir: string, running: Announcement | undefined): BinderyError {
  const { pid, url } = running ?? {};
  const which = running ? `process ${pid} serves it at ${url}` : 'a process that is just starting or ending has it';
  return new BinderyError('GATEWAY_RUNNING', {
    detail: `${dataDir}: ${which}`,
    next: 'Use that one, stop it, or give this one its own data directory with BINDERY_DATA_DIR; --beside starts a second one; commands use the first while it runs.',
    members: { pid, url },
  });
}

function fileIn(dataDir: string): string {
  return join(dataDir, 'gateway.json');
}

function lockIn(dataDir: string): string {
  return join(dataDir, 'gateway.lock');
}

function parse(text: string | undefined): Announcement | undefined {
  try {
    const { url, pid, cwd = '', registry, policy } = JSON.parse(text ?? '') as Partial<Announcement>;
    if (typeof url !== 'string' || typeof pid !== 'number') return undefined;
    return {
      url,
      pid,
      cwd: String(cwd),
      ...(typeof registry === 'string' ? { registry } : {}),
      ...(typeof policy === 'string' ? { policy } : {}),
    };
  } catch {
    return undefined;
  }
}
