import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { BEARER_RULE, isBearerToken } from '../../contract/bearer-token.ts';
import { BinderyError } from '../../contract/errors.ts';
import { type KeyRing, newKeyLine, parseKeyRing } from '../../store/credentials/key-ring.ts';
import { writeAtomic } from '../../store/write-atomic.ts';

const KEY_BYTES = 32;

/** The content of a file that only its owner may read; created on first use. */
export function privateFile(file: string, make: () => string): string {
  if (!existsSync(file)) writeAtomic(file, `${make()}\n`);
  const content = readFileSync(file, 'utf8').trim();
  // An empty secret protects nothing.
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

/** A random token in such a file, or the one that somebody wrote there. */
export function privateToken(file: string): string {
  const token = privateFile(file, () => randomBytes(KEY_BYTES).toString('base64url'));
  if (!isBearerToken(token)) throw unusable(file, `has a token that cannot be sent: ${BEARER_RULE}`);
  return token;
}

/** The keys that encrypt secrets in the database; nodes share them. */
export function credentialKeys(dataDir: string): KeyRing {
  const file = credentialKeyFile(dataDir);
  const text = privateFile(file, newKeyLine);
  try {
    return parseKeyRing(text);
  } catch (cause) {
    throw new BinderyError('STORE_UNAVAILABLE', {
      detail: `${file} cannot be used: ${(cause as Error).message}`,
      next: 'Put back the file of a backup: it opens the credentials of users and the arguments of waiting approvals in the database.',
      cause,
    });
  }
}

/** Why the keys cannot be used, and the remedy; undefined if they can, or if there are none yet. */
export function credentialKeysProblem(dataDir: string): string | undefined {
  if (!hasCredentialKeys(dataDir)) return undefined;
  try {
    credentialKeys(dataDir);
    return undefined;
  } catch (thrown) {
    if (!(thrown instanceof BinderyError)) throw thrown;
    return `${thrown.detail}. ${thrown.next}`;
  }
}

/** Whether the keys exist. Readers must not create keys: they would differ from those of the nodes. */
export function hasCredentialKeys(dataDir: string): boolean {
  return existsSync(credentialKeyFile(dataDir));
}

function credentialKeyFile(dataDir: string): string {
  return join(dataDir, 'credentials.key');
}

function unusable(file: string, why: string): BinderyError {
  return new BinderyError('STORE_UNAVAILABLE', {
    detail: `${file} ${why}`,
    next: 'Put back the file of a backup, or remove it from the data directory: a new one is made then.',
  });
}
