import { createHmac, timingSafeEqual } from 'node:crypto';

const PREFIX = 'bh1';

/** The state under which a 2026 client finds a call again that waits for its answers. */
export function signHeldState(handle: string, key: Uint8Array): string {
  return `${PREFIX}.${handle}.${signature(handle, key).toString('base64url')}`;
}

/** Whether a state claims to be that of a held call; a server's own state passes unchanged. */
export function isHeldState(state: unknown): state is string {
  return typeof state === 'string' && state.startsWith(`${PREFIX}.`);
}

/** The handle that one of the keys signed; undefined where it was changed. */
export function readHeldState(text: string, keys: readonly Uint8Array[]): string | undefined {
  const [prefix, handle, signed, ...rest] = text.split('.');
  if (prefix !== PREFIX || !handle || !signed || rest.length > 0) return undefined;
  const given = Buffer.from(signed, 'base64url');
  const valid = keys.some((key) => {
    const expected = signature(handle, key);
    return given.length === expected.length && timingSafeEqual(given, expected);
  });
  return valid ? handle : undefined;
}

function signature(handle: string, key: Uint8Array): Buffer {
  return createHmac('sha256', key).update(`${PREFIX}.${handle}`).digest();
}
