import { hash } from 'node:crypto';

const PREFIX = 'sha256:';

/** Lower-case hex of SHA-256. */
export function sha256Hex(data: string | Uint8Array): string {
  return hash('sha256', data, 'hex');
}

/** The version of a content (or of a whole cache): `sha256:` and the hex digest. */
export function versionOf(data: string | Uint8Array): string {
  return PREFIX + sha256Hex(data);
}

/** The hex digits of a version. */
export function hexOfVersion(version: string): string {
  return version.slice(PREFIX.length);
}

export function isVersion(text: unknown): text is string {
  return typeof text === 'string' && /^sha256:[0-9a-f]{64}$/.test(text);
}
