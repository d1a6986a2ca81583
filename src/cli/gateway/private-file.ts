import { randomBytes } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** The content of a file that its owner alone may read; it is made on first use. */
export function privateFile(file: string, make: () => string): string {
  if (existsSync(file)) return readFileSync(file, 'utf8').trim();
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const content = make();
  try {
    // Two processes may start at once: the first to make the file wins.
    writeFileSync(file, `${content}\n`, { mode: 0o600, flag: 'wx' });
    chmodSync(file, 0o600);
    return content;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    return readFileSync(file, 'utf8').trim();
  }
}

/** A random key of 32 bytes in such a file. */
export function privateKey(file: string): Buffer {
  return Buffer.from(
    privateFile(file, () => randomBytes(32).toString('base64url')),
    'base64url',
  );
}
