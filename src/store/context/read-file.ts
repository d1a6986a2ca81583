import { type BigIntStats, closeSync, constants, fstatSync, lstatSync, openSync, readSync } from 'node:fs';

/** Without following a symlink, and without waiting for the other end of a pipe. */
export const READ_PLAIN = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

export interface PlainFile {
  readonly bytes: Buffer<ArrayBuffer>;
  readonly identity: string;
  readonly changedMs: number;
}

/**
 * Reads a regular file that is not a symlink into memory of its own; undefined for anything that is not one. Throws
 * what the system says where there is nothing or where it may not be read.
 */
export function readPlainFile(path: string): PlainFile | undefined {
  const file = openSync(path, READ_PLAIN);
  try {
    const stats = fstatSync(file, { bigint: true });
    if (!stats.isFile()) return undefined;
    const bytes = readInto(file, Buffer.allocUnsafeSlow(Number(stats.size)));
    return { bytes, identity: identityOf(stats), changedMs: Number(stats.ctimeMs) };
  } finally {
    closeSync(file);
  }
}

/** Reads the bytes of a regular file that is not a symlink; otherwise like `readPlainFile`, and cheaper. */
export function readPlainBytes(path: string): Buffer | undefined {
  const file = openSync(path, READ_PLAIN);
  try {
    const stats = fstatSync(file);
    if (!stats.isFile()) return undefined;
    return readInto(file, Buffer.allocUnsafe(stats.size));
  } finally {
    closeSync(file);
  }
}

/**
 * Reads from the start of a file until the memory is full or the file ends: one call may give less, on some file systems. A file that
 * is known to have so many bytes is not asked for more when they are there.
 */
export function readInto<T extends ArrayBufferLike>(file: number, memory: Buffer<T>, size?: number): Buffer<T> {
  let length = 0;
  while (length < memory.length) {
    const read = readSync(file, memory, length, memory.length - length, length);
    length += read;
    if (read === 0 || length === size) break;
  }
  return memory.subarray(0, length);
}

/** Changes whenever the file is written or replaced. */
export function identityOf(stats: BigIntStats): string {
  return `${stats.dev}:${stats.ino}:${stats.size}:${stats.mtimeNs}:${stats.ctimeNs}`;
}

/** The same for a path, without following a symlink; empty where there is nothing. */
export function identityAt(path: string): string {
  const stats = lstatSync(path, { bigint: true, throwIfNoEntry: false });
  return stats ? identityOf(stats) : '';
}
