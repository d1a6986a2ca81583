import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { KeyRing } from './key-ring.ts';

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** A value that only a key of the ring decrypts. */
export interface Sealed {
  readonly key_id: string;
  readonly sealed: Uint8Array;
}

/** Encrypts a value for one place: it cannot be decrypted anywhere else. */
export function seal(ring: KeyRing, place: readonly string[], value: unknown): Sealed {
  const nonce = randomBytes(NONCE_BYTES);
  const key = ring.keys.get(ring.current) as Uint8Array;
  const cipher = createCipheriv(CIPHER, key, nonce).setAAD(authenticated(place, ring.current));
  const sealed = Buffer.concat([cipher.update(JSON.stringify(value), 'utf8'), cipher.final()]);
  return { key_id: ring.current, sealed: Buffer.concat([nonce, cipher.getAuthTag(), sealed]) };
}

/** Decrypts a value for its place. Throws if it was changed or moved, or the ring lacks its key. */
export function unseal(ring: KeyRing, place: readonly string[], { key_id, sealed }: Sealed): unknown {
  const key = ring.keys.get(key_id);
  if (!key) throw new Error('the key is not in the file any more');
  const bytes = Buffer.from(sealed);
  const cipher = createDecipheriv(CIPHER, key, bytes.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES });
  cipher.setAAD(authenticated(place, key_id)).setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
  const plain = Buffer.concat([cipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES)), cipher.final()]);
  return JSON.parse(plain.toString('utf8'));
}

function authenticated(place: readonly string[], keyId: string): Buffer {
  return Buffer.from(JSON.stringify([...place, keyId]));
}
