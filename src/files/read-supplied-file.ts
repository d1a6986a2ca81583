import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readSync,
  realpathSync,
  type Stats,
  statSync,
} from 'node:fs';
import { type FileHandle, open, realpath, stat } from 'node:fs/promises';
import { isAbsolute, relative } from 'node:path';
import { BinderyError } from '../contract/errors.ts';

/** A file from an untrusted source, such as a project or an import. */
export interface SuppliedFile {
  readonly path: string;
  /** Links may not lead out of this folder. Undefined: a person named the file, so links are followed anywhere. */
  readonly within?: string | undefined;
  /** A larger file is refused. */
  readonly bytesMax: number;
}

/** Does not block on a pipe, and does not make a terminal the controlling terminal. */
const FLAGS = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOCTTY ?? 0);

/** The first buffer is one byte larger than the file, so that the first read finds its end. */
const SPARE_BYTES = 1;

/**
 * Reads a regular file of a bounded size. Undefined if there is none; `FILE_REFUSED` if it is a folder, a pipe or a device,
 * too large, leads out of its folder or may not be read.
 */
export async function readSuppliedFile(file: SuppliedFile): Promise<Buffer | undefined> {
  return asRefusal(file, async () => {
    // A device is never opened, because opening some devices has side effects.
    refuseOther(await stat(file.path), file);
    const handle = await open(file.path, FLAGS);
    try {
      const stats = await handle.stat();
      refuseOther(stats, file);
      if (file.within !== undefined) {
        const real = await realpath(file.path);
        refuseOutside(real, await realpath(file.within), file);
        refuseReplaced(await stat(real), stats, file);
      }
      return await readAll(handle, stats.size, file);
    } finally {
      await handle.close();
    }
  });
}

/** The synchronous version. The size limit bounds how long it blocks. */
export function readSuppliedFileSync(file: SuppliedFile): Buffer | undefined {
  try {
    refuseOther(statSync(file.path), file);
    const handle = openSync(file.path, FLAGS);
    try {
      const stats = fstatSync(handle);
      refuseOther(stats, file);
      if (file.within !== undefined) {
        const real = realpathSync(file.path);
        refuseOutside(real, realpathSync(file.within), file);
        refuseReplaced(statSync(real), stats, file);
      }
      return readAllSync(handle, stats.size, file);
    } finally {
      closeSync(handle);
    }
  } catch (thrown) {
    if (isAbsent(thrown) && !isLink(file.path)) return undefined;
    throw refusal(file, thrown);
  }
}

function isLink(path: string): boolean {
  try {
    return lstatSync(path).isSymbolicLink();
  } catch (thrown) {
    if (isAbsent(thrown)) return false;
    throw thrown;
  }
}

async function asRefusal(file: SuppliedFile, read: () => Promise<Buffer>): Promise<Buffer | undefined> {
  try {
    return await read();
  } catch (thrown) {
    if (isAbsent(thrown) && !isLink(file.path)) return undefined;
    throw refusal(file, thrown);
  }
}

async function readAll(handle: FileHandle, size: number, file: SuppliedFile): Promise<Buffer> {
  let memory = Buffer.allocUnsafe(size + SPARE_BYTES);
  for (let length = 0; ; ) {
    const { bytesRead } = await handle.read(memory, length, memory.length - length, length);
    length += bytesRead;
    if (length > file.bytesMax) throw refused(file, tooLarge(file));
    if (bytesRead === 0) return memory.subarray(0, length);
    if (length === memory.length) memory = grown(memory, file);
  }
}

function readAllSync(handle: number, size: number, file: SuppliedFile): Buffer {
  let memory = Buffer.allocUnsafe(size + SPARE_BYTES);
  for (let length = 0; ; ) {
    const read = readSync(handle, memory, length, memory.length - length, length);
    length += read;
    if (length > file.bytesMax) throw refused(file, tooLarge(file));
    if (read === 0) return memory.subarray(0, length);
    if (length === memory.length) memory = grown(memory, file);
  }
}

/** Grows the buffer of a file that grew during the read: at most to the limit and one byte, which shows that it is exceeded. */
function grown(memory: Buffer<ArrayBuffer>, { bytesMax }: SuppliedFile): Buffer<ArrayBuffer> {
  const larger = Buffer.allocUnsafe(Math.min(memory.length * 2, bytesMax + SPARE_BYTES));
  memory.copy(larger);
  return larger;
}

function refuseOther(stats: Stats, file: SuppliedFile): void {
  if (stats.isDirectory()) throw refused(file, 'it is a folder');
  if (!stats.isFile()) throw refused(file, 'it is not a regular file');
  if (stats.size > file.bytesMax) throw refused(file, tooLarge(file));
}

function refuseOutside(real: string, folder: string, file: SuppliedFile): void {
  const way = relative(folder, real);
  if (way === '..' || /^\.\.[\\/]/.test(way) || isAbsolute(way)) throw refused(file, 'it leads out of its folder');
}

/** The opened file must be the one that was checked. */
function refuseReplaced(found: Stats, opened: Stats, file: SuppliedFile): void {
  if (found.dev !== opened.dev || found.ino !== opened.ino) throw refused(file, 'it was replaced while it was opened');
}

function tooLarge({ bytesMax }: SuppliedFile): string {
  return `it is larger than ${bytesMax} bytes`;
}

function isAbsent(thrown: unknown): boolean {
  return ['ENOENT', 'ENOTDIR'].includes((thrown as NodeJS.ErrnoException).code ?? '');
}

function refusal(file: SuppliedFile, thrown: unknown): unknown {
  if (thrown instanceof BinderyError) return thrown;
  const { code } = thrown as NodeJS.ErrnoException;
  if (code === undefined) return thrown;
  return refused(file, isAbsent(thrown) ? 'it is a link that leads nowhere' : `it cannot be read (${code})`, thrown);
}

function refused({ path }: SuppliedFile, reason: string, cause?: unknown): BinderyError {
  return new BinderyError('FILE_REFUSED', { detail: `${path}: ${reason}`, members: { reason }, cause });
}

/** Why a file was refused, without its path; undefined for any other failure. */
export function refusalReason(thrown: unknown): string | undefined {
  if (!(thrown instanceof BinderyError) || thrown.code !== 'FILE_REFUSED') return undefined;
  return String(thrown.members.reason);
}
