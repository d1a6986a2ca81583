import { createHash, createPublicKey, verify } from 'node:crypto';
import { parseJson } from '../contract/json.ts';
import { publicKeyBytes } from './public-key.ts';

/** The public half of an Ed25519 key, as a JWK set publishes it. */
export interface PublicJwk {
  readonly kty: 'OKP';
  readonly crv: 'Ed25519';
  /** Base64url of the 32 bytes. */
  readonly x: string;
  readonly kid: string;
  readonly alg: 'EdDSA';
  readonly use: 'sig';
}

/** Signs bytes with a private key that the room never sees. */
export interface Signer {
  readonly kid: string;
  sign(bytes: Uint8Array): Uint8Array;
}

export type JwsVerification =
  | { readonly valid: true; readonly kid: string; readonly header: Readonly<Record<string, unknown>> }
  | { readonly valid: false; readonly reason: 'malformed' | 'unknown_key' | 'bad_signature' };

/** A compact JWS whose payload is left out: `header..signature`. */
export function signDetached(payload: string, signer: Signer, members: Readonly<Record<string, unknown>> = {}): string {
  const header = base64url(JSON.stringify({ alg: 'EdDSA', kid: signer.kid, ...members }));
  const signature = signer.sign(Buffer.from(`${header}.${base64url(payload)}`));
  return `${header}..${Buffer.from(signature).toString('base64url')}`;
}

/** Checks a detached JWS against the keys that are trusted: JWKs, or texts `ed25519:…`. */
export function verifyDetached(payload: string, jws: string, keys: readonly (PublicJwk | string)[]): JwsVerification {
  const [head = '', middle, tail = '', ...more] = jws.split('.');
  const header = middle === '' && more.length === 0 ? parseHeader(head) : undefined;
  // Critical extensions are refused, because none is supported.
  if (header?.alg !== 'EdDSA' || 'crit' in header) return { valid: false, reason: 'malformed' };
  const key = keys.map(toPublicJwk).find((candidate) => candidate?.kid === header.kid);
  if (!key) return { valid: false, reason: 'unknown_key' };
  const publicKey = createPublicKey({ key: { kty: key.kty, crv: key.crv, x: key.x }, format: 'jwk' });
  const signed = Buffer.from(`${head}.${base64url(payload)}`);
  return verify(null, signed, publicKey, Buffer.from(tail, 'base64url'))
    ? { valid: true, kid: key.kid, header }
    : { valid: false, reason: 'bad_signature' };
}

/** A JWK with its RFC 7638 thumbprint as `kid`; undefined if it is not an Ed25519 key. */
export function toPublicJwk(key: PublicJwk | string): PublicJwk | undefined {
  const x = typeof key === 'string' ? bytesToX(publicKeyBytes(key)) : key.x;
  if (typeof x !== 'string' || Buffer.from(x, 'base64url').length !== 32) return undefined;
  const kid = createHash('sha256')
    .update(JSON.stringify({ crv: 'Ed25519', kty: 'OKP', x }))
    .digest('base64url');
  return { kty: 'OKP', crv: 'Ed25519', x, kid, alg: 'EdDSA', use: 'sig' };
}

function bytesToX(bytes: Uint8Array | undefined): string | undefined {
  return bytes && Buffer.from(bytes).toString('base64url');
}

function parseHeader(text: string): Readonly<Record<string, unknown>> | undefined {
  const header = parseJson(Buffer.from(text, 'base64url').toString('utf8'));
  return typeof header === 'object' && header !== null ? (header as Record<string, unknown>) : undefined;
}

function base64url(text: string): string {
  return Buffer.from(text).toString('base64url');
}
