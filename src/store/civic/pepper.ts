import {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { BinderyError } from '../../contract/errors.ts';
import type { Random } from '../../contract/ports.ts';

const PEPPER_BYTES = 32;

/** The secret that joins every salt; made at first start, readable by its owner alone, never in the store [C6]. */
export function loadPepper(file: string, random: Random): Uint8Array {
  if (!existsSync(file)) makePepper(file, random);
  const pepper = readFileSync(file);
  if (pepper.byteLength === PEPPER_BYTES) return pepper;
  throw new BinderyError('STORE_UNAVAILABLE', {
    detail: 'the pepper file does not hold 32 bytes',
    next: 'Restore it from a backup, or remove it: a new one is made, and whoever voted before can vote again.',
  });
}

/** Written aside and linked into place: the file is there whole or not at all, and of two processes the first one's stays. */
function makePepper(file: string, random: Random): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const aside = `${file}.${Buffer.from(random.bytes(8)).toString('hex')}`;
  try {
    const descriptor = openSync(aside, 'wx', 0o600);
    try {
      writeSync(descriptor, random.bytes(PEPPER_BYTES));
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    linkSync(aside, file);
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code !== 'EEXIST') throw thrown;
  } finally {
    rmSync(aside, { force: true });
  }
}
