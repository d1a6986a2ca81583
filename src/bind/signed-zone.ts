import { type PublicJwk, type Signer, signDetached, verifyDetached } from './detached-jws.ts';
import { canonicalJson } from './digest.ts';
import { BIND_LIMITS } from './limits.ts';

/** A detached JWS over a stored zone, for resolvers that pin a key; its header has the expiry. */
export function signZone(zone: unknown, signer: Signer, nowMs: number): string {
  const expiresAtMs = nowMs + 2 * BIND_LIMITS.ttlMaxSeconds * 1000;
  const members = { signed_at: new Date(nowMs).toISOString(), expires_at: new Date(expiresAtMs).toISOString() };
  return signDetached(canonicalJson(zone), signer, members);
}

/** Whether one of these keys signed the zone, and the signature is valid at this time. */
export function isZoneSigned(
  zone: unknown,
  jws: string,
  keys: readonly (PublicJwk | string)[],
  nowMs: number,
): boolean {
  const checked = verifyDetached(canonicalJson(zone), jws, keys);
  if (!checked.valid) return false;
  const { signed_at: signedAt, expires_at: expiresAt } = checked.header;
  if (typeof signedAt !== 'string' || typeof expiresAt !== 'string') return false;
  return nowMs < Date.parse(expiresAt) && nowMs + BIND_LIMITS.clockSkewSeconds * 1000 >= Date.parse(signedAt);
}
