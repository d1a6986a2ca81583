import { type BigIntStats, closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';

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
    const bytes = Buffer.allocUnsafeSlow(Number(stats.size));
    let length = 0;
    while (length < bytes.length) {
      const read = readSync(file, bytes, length, bytes.length - length, length);
      if (read === 0) break;
      length += read;
    }
    return { bytes: bytes.subarray(0, length), identity: identityOf(stats), changedMs: Number(stats.ctimeMs) };
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
    const bytes = Buffer.allocUnsafe(stats.size);
    return bytes.subarray(0, readSync(file, bytes, 0, bytes.length, 0));
  } finally {
    closeSync(file);
  }
}

/** Changes whenever the file is written or replaced. */
export function identityOf(stats: BigIntStats): string {
  return `${stats.dev}:${stats.ino}:${stats.size}:${stats.mtimeNs}:${stats.ctimeNs}`;
}
