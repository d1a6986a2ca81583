import { readFileSync } from 'node:fs';
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
    text = readFileSync(file, 'utf8');
  } catch (thrown) {
    if (isAbsent(thrown)) return undefined;
    return { text: null, policy: unreadablePolicy('the file cannot be read') };
  }
  return { text, policy: parsePolicy(text) };
}

function isAbsent(thrown: unknown): boolean {
  return ['ENOENT', 'ENOTDIR'].includes((thrown as NodeJS.ErrnoException).code ?? '');
}
