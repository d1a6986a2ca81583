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
}

/** Tells other commands with the same data directory where this process serves; gives the function that takes it back. */
export function announceGateway(
  dataDir: string,
  url: string,
  { cwd, registryFile: registry }: { readonly cwd: string; readonly registryFile: string },
): () => void {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const file = fileIn(dataDir);
  // Readers find the whole file or the one before. It need not outlast a crash of the machine: no process does.
  const making = `${file}.${process.pid}`;
  rmSync(making, { force: true });
  writeFileSync(making, `${JSON.stringify({ url, pid: process.pid, cwd, registry })}\n`, { mode: 0o600, flag: 'wx' });
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
    const { url, pid, cwd = '', registry } = JSON.parse(text ?? '') as Partial<Announcement>;
    if (typeof url !== 'string' || typeof pid !== 'number') return undefined;
    return { url, pid, cwd: String(cwd), ...(typeof registry === 'string' ? { registry } : {}) };
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
