import { type BigIntStats, closeSync, constants, fstatSync, lstatSync, openSync, readSync } from 'node:fs';

/** Follows no symlink, and does not block on a pipe. */
export const READ_PLAIN = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

export interface PlainFile {
  readonly bytes: Buffer<ArrayBuffer>;
  readonly identity: string;
  readonly changedMs: number;
}

/**
 * Reads a regular file, not a symlink, into a new buffer; undefined for anything else. Throws the system's error if it is missing or
 * unreadable.
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

/** Like `readPlainFile`, but only the bytes, and cheaper. */
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
 * Reads from the start of a file until the buffer is full or the file ends: on some file systems a read returns less than requested. With a
 * known size, it stops once all bytes are there.
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

/** The same for a path, without following a symlink; empty if there is nothing. */
export function identityAt(path: string): string {
  const stats = lstatSync(path, { bigint: true, throwIfNoEntry: false });
  return stats ? identityOf(stats) : '';
}
