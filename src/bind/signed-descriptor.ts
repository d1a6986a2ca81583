import type { Descriptor } from './collapse.ts';
import { type PublicJwk, type Signer, signDetached, verifyDetached } from './detached-jws.ts';
import { canonicalJson } from './digest.ts';
import { BIND_LIMITS } from './limits.ts';

export interface DescriptorSignature {
  readonly kid: string;
  readonly alg: 'EdDSA';
  /** Detached JWS. */
  readonly value: string;
  readonly signed_at: string;
  readonly expires_at: string;
}

export type SignedDescriptor = Descriptor & { readonly signature: DescriptorSignature };

export type DescriptorVerification =
  | { readonly valid: true; readonly kid: string; readonly expires_at: string }
  | {
      readonly valid: false;
      readonly reason: 'unsigned' | 'malformed' | 'unknown_key' | 'bad_signature' | 'expired' | 'not_yet_valid';
    };

/** Signs a descriptor for longer than its ttl, so that a client can verify it as long as it may cache it. */
export function signDescriptor(descriptor: Descriptor, signer: Signer, nowMs: number): SignedDescriptor {
  const lifetimeSeconds = Math.max(2 * descriptor.ttl, BIND_LIMITS.signatureLifetimeMinSeconds);
  const signed_at = new Date(nowMs).toISOString();
  const expires_at = new Date(nowMs + lifetimeSeconds * 1000).toISOString();
  const value = signDetached(signedContent(descriptor, signed_at, expires_at), signer);
  return { ...descriptor, signature: { kid: signer.kid, alg: 'EdDSA', value, signed_at, expires_at } };
}

/**
 * Verifies a descriptor from any source against the keys that the caller trusts. Pure: the time is an argument.
 * If a key is pinned, call it before connecting.
 */
export function verifyDescriptor(
  descriptor: Readonly<Record<string, unknown>>,
  keys: readonly (PublicJwk | string)[],
  nowMs: number,
): DescriptorVerification {
  if (descriptor.signature === undefined) return { valid: false, reason: 'unsigned' };
  const signature = descriptor.signature as Partial<DescriptorSignature> | null;
  if (typeof signature?.value !== 'string') return { valid: false, reason: 'malformed' };
  const [signedAtMs, expiresAtMs] = [toMs(signature.signed_at), toMs(signature.expires_at)];
  if (Number.isNaN(signedAtMs) || Number.isNaN(expiresAtMs)) return { valid: false, reason: 'malformed' };
  const { signed_at, expires_at } = signature as DescriptorSignature;
  const checked = verifyDetached(signedContent(descriptor, signed_at, expires_at), signature.value, keys);
  if (!checked.valid) return checked;
  if (signature.alg !== 'EdDSA' || signature.kid !== checked.kid) return { valid: false, reason: 'malformed' };
  if (nowMs >= expiresAtMs) return { valid: false, reason: 'expired' };
  const skewMs = BIND_LIMITS.clockSkewSeconds * 1000;
  return nowMs + skewMs < signedAtMs
    ? { valid: false, reason: 'not_yet_valid' }
    : { valid: true, kid: checked.kid, expires_at };
}

/** Everything but the ttl, which shrinks in caches, and the trace, which is for people; an absolute expiry replaces the ttl. */
function signedContent(descriptor: Readonly<object>, signedAt: string, expiresAt: string): string {
  const { ttl: _, trace: __, signature: ___, ...content } = descriptor as Record<string, unknown>;
  return canonicalJson({ ...content, signed_at: signedAt, expires_at: expiresAt });
}

function toMs(time: unknown): number {
  return typeof time === 'string' ? Date.parse(time) : Number.NaN;
}
