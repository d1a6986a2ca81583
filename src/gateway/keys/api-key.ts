import { createHash } from 'node:crypto';
import type { Surface } from '../../contract/approval-surfaces.ts';

export const SCOPES = ['call', 'read', 'register', 'admin'] as const;
export type KeyScope = (typeof SCOPES)[number];

/** A stored key: only the digest of its secret is kept. */
export interface ApiKey {
  /** The eight public characters of the key. */
  readonly id: string;
  readonly name: string;
  readonly scopes: readonly KeyScope[];
  /** The profiles that it is bound to; empty: all. */
  readonly profiles: readonly string[];
  /** The surfaces on which its calls may be approved; null: those of the profile. */
  readonly surfaces: readonly Surface[] | null;
  readonly created_at: string;
  readonly expires_at: string | null;
  readonly revoked_at: string | null;
}

export interface KeyRequest {
  readonly name: string;
  readonly scopes: readonly KeyScope[];
  readonly profiles: readonly string[];
  /** The surfaces on which its calls may be approved; default: those of the profile. */
  readonly surfaces?: readonly Surface[] | null;
  /** How long it is valid; null: until it is revoked. */
  readonly lifeMs: number | null;
}

/** The prefix of callers with a key, followed by the id of the key. */
export const KEY_CALLER = 'key:';

const KEY = /^bk_([0-9a-z]{8})_[A-Za-z0-9_-]{43}$/;
const ID_LETTERS = '0123456789abcdefghijklmnopqrstuvwxyz';
const ID_CHARS = 8;
const SECRET_BYTES = 32;

/** Random bytes per key. */
export const KEY_BYTES = ID_CHARS + SECRET_BYTES;

/** Creates a key from random bytes. */
export function makeKey(bytes: Uint8Array): { readonly id: string; readonly key: string } {
  const id = [...bytes.subarray(0, ID_CHARS)].map((byte) => ID_LETTERS[byte % ID_LETTERS.length]).join('');
  return { id, key: `bk_${id}_${Buffer.from(bytes.subarray(ID_CHARS, KEY_BYTES)).toString('base64url')}` };
}

/** The id of a well-formed key; undefined for any other text. */
export function keyId(text: string): string | undefined {
  return KEY.exec(text)?.[1];
}

export function keySha256(key: string): string {
  return createHash('sha256').update(key).digest('hex');
}

/** Whether the key is neither expired nor revoked. */
export function isActive({ expires_at, revoked_at }: ApiKey, now: string): boolean {
  return revoked_at === null && (expires_at === null || expires_at > now);
}

/** `admin` includes every other scope. */
export function allows({ scopes }: Pick<ApiKey, 'scopes'>, scope: KeyScope): boolean {
  return scopes.includes(scope) || scopes.includes('admin');
}
