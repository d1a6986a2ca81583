import { createHash } from 'node:crypto';
import type { Surface } from '../../contract/approval-surfaces.ts';

export const SCOPES = ['call', 'read', 'register', 'admin'] as const;
export type KeyScope = (typeof SCOPES)[number];

/** A key as it is kept: its secret is known by its digest alone. */
export interface ApiKey {
  /** The eight characters of the key that may be seen. */
  readonly id: string;
  readonly name: string;
  readonly scopes: readonly KeyScope[];
  /** Profiles that it is bound to; empty: all. */
  readonly profiles: readonly string[];
  /** Where calls made with it may be approved; null: as the profile says. */
  readonly surfaces: readonly Surface[] | null;
  readonly created_at: string;
  readonly expires_at: string | null;
  readonly revoked_at: string | null;
}

export interface KeyRequest {
  readonly name: string;
  readonly scopes: readonly KeyScope[];
  readonly profiles: readonly string[];
  /** Where its calls may be approved; as the profile says without it. */
  readonly surfaces?: readonly Surface[] | null;
  /** How long it holds; null: until it is revoked. */
  readonly lifeMs: number | null;
}

/** What the name of a caller with a key begins with; the id of the key follows. */
export const KEY_CALLER = 'key:';

const KEY = /^bk_([0-9a-z]{8})_[A-Za-z0-9_-]{43}$/;
const ID_LETTERS = '0123456789abcdefghijklmnopqrstuvwxyz';
const ID_CHARS = 8;
const SECRET_BYTES = 32;

/** How many random bytes a key is made of. */
export const KEY_BYTES = ID_CHARS + SECRET_BYTES;

/** A key made of random bytes. */
export function makeKey(bytes: Uint8Array): { readonly id: string; readonly key: string } {
  const id = [...bytes.subarray(0, ID_CHARS)].map((byte) => ID_LETTERS[byte % ID_LETTERS.length]).join('');
  return { id, key: `bk_${id}_${Buffer.from(bytes.subarray(ID_CHARS, KEY_BYTES)).toString('base64url')}` };
}

/** The id of a text that has the form of a key; undefined for anything else. */
export function keyId(text: string): string | undefined {
  return KEY.exec(text)?.[1];
}

export function keySha256(key: string): string {
  return createHash('sha256').update(key).digest('hex');
}

/** Whether it still opens anything. */
export function isActive({ expires_at, revoked_at }: ApiKey, now: string): boolean {
  return revoked_at === null && (expires_at === null || expires_at > now);
}

/** `admin` includes every other scope. */
export function allows({ scopes }: Pick<ApiKey, 'scopes'>, scope: KeyScope): boolean {
  return scopes.includes(scope) || scopes.includes('admin');
}
