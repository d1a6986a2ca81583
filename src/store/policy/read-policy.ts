import { closeSync, constants, fstatSync, lstatSync, openSync, readFileSync, type Stats, statSync } from 'node:fs';
import { GATEWAY_LIMITS } from '../../gateway/limits.ts';
import { parsePolicy, unreadablePolicy } from '../../gateway/policy/parse-policy.ts';
import type { ParsedPolicy } from '../../gateway/policy/policy-document.ts';

/** A policy file as it is now: its text is null where it is there and cannot be read. */
export interface ReadPolicy {
  readonly text: string | null;
  readonly policy: ParsedPolicy;
}

/** Reads a policy file; undefined where there is none. What cannot be read is as bad as what cannot be understood. */
export function readPolicy(file: string): ReadPolicy | undefined {
  let text: string;
  try {
    text = readRegularFile(file);
  } catch (thrown) {
    if (isAbsent(thrown) && !isLink(file)) return undefined;
    return { text: null, policy: unreadablePolicy(`the file cannot be read: ${reasonOf(thrown)}`) };
  }
  return { text, policy: parsePolicy(text) };
}

class Unreadable extends Error {}

/** A folder, a pipe or a device is not opened: reading one could wait for ever, or never end. */
function readRegularFile(file: string): string {
  refuseOther(statSync(file));
  // Whatever took its place meanwhile: opening a pipe must not wait for a writer.
  const handle = openSync(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    refuseOther(fstatSync(handle));
    const bytes = readFileSync(handle);
    if (bytes.length > GATEWAY_LIMITS.policyFileBytesMax) throw tooLarge();
    return decode(bytes);
  } finally {
    closeSync(handle);
  }
}

function refuseOther(stats: Stats): void {
  if (stats.isDirectory()) throw new Unreadable('it is a folder');
  if (!stats.isFile()) throw new Unreadable('it is not a regular file');
  if (stats.size > GATEWAY_LIMITS.policyFileBytesMax) throw tooLarge();
}

function tooLarge(): Unreadable {
  return new Unreadable(`it is larger than ${GATEWAY_LIMITS.policyFileBytesMax} bytes`);
}

/** Bytes that are not UTF-8 would be read as other names than the ones that were written. */
function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new Unreadable('it is not UTF-8');
  }
}

function isAbsent(thrown: unknown): boolean {
  return ['ENOENT', 'ENOTDIR'].includes((thrown as NodeJS.ErrnoException).code ?? '');
}

/** A link that leads nowhere was put there by somebody who wanted a policy. */
function isLink(file: string): boolean {
  return lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() ?? false;
}

function reasonOf(thrown: unknown): string {
  if (thrown instanceof Unreadable) return thrown.message;
  return isAbsent(thrown) ? 'it is a link that leads nowhere' : ((thrown as NodeJS.ErrnoException).code ?? 'unknown');
}
