import { closeSync, fsyncSync, mkdirSync, openSync, readFileSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Random } from '../../contract/ports.ts';

const PEPPER_BYTES = 32;

/** The secret that joins every salt; made at first start, readable by its owner alone, never in the store [C6]. */
export function loadPepper(file: string, random: Random): Uint8Array {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  try {
    const descriptor = openSync(file, 'wx', 0o600);
    try {
      writeSync(descriptor, random.bytes(PEPPER_BYTES));
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code !== 'EEXIST') throw thrown;
  }
  const pepper = readFileSync(file);
  if (pepper.byteLength !== PEPPER_BYTES) throw new Error('the pepper file does not hold 32 bytes');
  return pepper;
}
