import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** A process that serves `/mcp` and `/v1` with this data directory. */
export interface Announcement {
  readonly url: string;
  readonly pid: number;
  /** The folder of its project. */
  readonly cwd: string;
  /** The database of its registry; undefined where it did not say so. */
  readonly registry?: string;
  /** The file that it was told to take as its policy. */
  readonly policy?: string;
}

interface AnnouncedSettings {
  readonly cwd: string;
  readonly registryFile: string;
  readonly policyFile?: string | undefined;
}

/** Tells other commands with the same data directory where this process serves; gives the function that takes it back. */
export function announceGateway(
  dataDir: string,
  url: string,
  { cwd, registryFile: registry, policyFile: policy }: AnnouncedSettings,
): () => void {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const file = fileIn(dataDir);
  // Readers find the whole file or the one before. It need not outlast a crash of the machine: no process does.
  const making = `${file}.${process.pid}`;
  rmSync(making, { force: true });
  const announcement: Announcement = {
    url,
    pid: process.pid,
    cwd,
    registry,
    ...(policy === undefined ? {} : { policy }),
  };
  writeFileSync(making, `${JSON.stringify(announcement)}\n`, { mode: 0o600, flag: 'wx' });
  renameSync(making, file);
  return () => {
    // A second process may have announced itself meanwhile; its file stays.
    if (parse(readTextSync(file))?.pid === process.pid) rmSync(file, { force: true });
  };
}

/** What the last process announced, if that process still lives. */
export async function findAnnouncement(dataDir: string): Promise<Announcement | undefined> {
  const announced = parse(await readFile(fileIn(dataDir), 'utf8').catch(() => undefined));
  return announced && isAlive(announced.pid) ? announced : undefined;
}

function fileIn(dataDir: string): string {
  return join(dataDir, 'gateway.json');
}

function readTextSync(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
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

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (thrown) {
    return (thrown as NodeJS.ErrnoException).code === 'EPERM';
  }
}
