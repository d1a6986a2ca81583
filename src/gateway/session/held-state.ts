import { createHmac, timingSafeEqual } from 'node:crypto';

const PREFIX = 'bh1';

/** The node and handle of a held call. */
export interface HeldPlace {
  readonly node: string;
  readonly handle: string;
  /** Digest of the arguments that were sent. */
  readonly digest: string;
}

/** The state by which a 2026 client refers to a call that waits for its answers. */
export function signHeldState({ node, handle, digest }: HeldPlace, key: Uint8Array): string {
  const place = `${Buffer.from(node).toString('base64url')}.${handle}.${digest}`;
  return `${PREFIX}.${place}.${signature(place, key).toString('base64url')}`;
}

/** Whether a state claims to be that of a held call; a server's state passes unchanged. */
export function isHeldState(state: unknown): state is string {
  return typeof state === 'string' && state.startsWith(`${PREFIX}.`);
}

/** The held call, if one of the keys signed the state; undefined if it was modified. */
export function readHeldState(text: string, keys: readonly Uint8Array[]): HeldPlace | undefined {
  const [prefix, node, handle, digest, signed, ...rest] = text.split('.');
  if (prefix !== PREFIX || !node || !handle || !digest || !signed || rest.length > 0) return undefined;
  const given = Buffer.from(signed, 'base64url');
  const valid = keys.some((key) => {
    const expected = signature(`${node}.${handle}.${digest}`, key);
    return given.length === expected.length && timingSafeEqual(given, expected);
  });
  return valid ? { node: Buffer.from(node, 'base64url').toString(), handle, digest } : undefined;
}

function signature(place: string, key: Uint8Array): Buffer {
  return createHmac('sha256', key).update(`${PREFIX}.${place}`).digest();
}
