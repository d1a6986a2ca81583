import { hash } from 'node:crypto';

const PREFIX = 'sha256:';

/** Lower-case hex of SHA-256. */
export function sha256Hex(data: string | Uint8Array): string {
  return hash('sha256', data, 'hex');
}

/** The version of a content (or of a whole cache): `sha256:` and the hex digest. */
export function versionOf(data: string | Uint8Array): string {
  return versionOfDigest(sha256Hex(data));
}

/** Of SHA-256, in hex. */
export const DIGEST_DIGITS = 64;

/** The version that a hex digest stands for. */
export function versionOfDigest(digest: string): string {
  return PREFIX + digest;
}

/** The hex digits of a version. */
export function hexOfVersion(version: string): string {
  return version.slice(PREFIX.length);
}

export function isVersion(text: unknown): text is string {
  return typeof text === 'string' && /^sha256:[0-9a-f]{64}$/.test(text);
}
