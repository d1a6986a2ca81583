import { existsSync, readFileSync } from 'node:fs';
import { BinderyError } from '../../contract/errors.ts';
import type { Random } from '../../contract/ports.ts';
import { writeAtomic } from '../write-atomic.ts';

const PEPPER_BYTES = 32;

/** The secret that is combined with every salt; created at first start, readable by its owner only, never in the store [C6]. */
export function loadPepper(file: string, random: Random): Uint8Array {
  if (!existsSync(file)) writeAtomic(file, random.bytes(PEPPER_BYTES));
  const pepper = readFileSync(file);
  if (pepper.byteLength === PEPPER_BYTES) return pepper;
  throw new BinderyError('STORE_UNAVAILABLE', {
    detail: 'the pepper file does not hold 32 bytes',
    next: 'Restore it from a backup, or remove it: Bindery makes a new one, and everyone who voted can vote again.',
  });
}
