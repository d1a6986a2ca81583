import { randomBytes } from 'node:crypto';
import { existsSync, linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { BinderyError } from '../../contract/errors.ts';

const KEY_BYTES = 32;

/** The content of a file that its owner alone may read; it is made on first use. */
export function privateFile(file: string, make: () => string): string {
  if (!existsSync(file)) makeWhole(file, make());
  const content = readFileSync(file, 'utf8').trim();
  // Everyone knows an empty secret: it opens nothing.
  if (content === '') throw unusable(file, 'is empty');
  return content;
}

/** A random key of 32 bytes in such a file. */
export function privateKey(file: string): Buffer {
  const text = privateFile(file, () => randomBytes(KEY_BYTES).toString('base64url'));
  const key = Buffer.from(text, 'base64url');
  if (key.length !== KEY_BYTES) throw unusable(file, `is no key of ${KEY_BYTES} bytes`);
  return key;
}

/** The file gets its name when it is whole: neither a full disk nor another process that starts now sees a part of it. */
function makeWhole(file: string, content: string): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const unfinished = `${file}.${randomBytes(4).toString('hex')}`;
  try {
    writeFileSync(unfinished, `${content}\n`, { mode: 0o600, flag: 'wx', flush: true });
    nameOnce(unfinished, file);
  } finally {
    rmSync(unfinished, { force: true });
  }
}

/** Two processes may start at once: the first to give the name wins. */
function nameOnce(unfinished: string, file: string): void {
  try {
    linkSync(unfinished, file);
  } catch (error) {
    // Not every file system has hard links; there the last one wins.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') renameSync(unfinished, file);
  }
}

function unusable(file: string, why: string): BinderyError {
  return new BinderyError('STORE_UNAVAILABLE', {
    detail: `${basename(file)} ${why}`,
    next: 'Put back the file of a backup, or remove it from the data directory: a new one is made then.',
  });
}
