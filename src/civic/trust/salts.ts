import { hash } from 'node:crypto';
import type { Clock, Random } from '../../contract/ports.ts';

const SALT_BYTES = 32;

export interface Salt {
  readonly bytes: Uint8Array;
  readonly mintedAt: number;
}

/** Storage of salts, apart from everything hashed with them. Deleted salts are unrecoverable. */
export interface SaltStore {
  get(key: string): Salt | undefined;
  put(key: string, salt: Salt): void;
  /** Moves the salt to another key; its bytes stay. */
  rename(from: string, to: string): void;
  delete(key: string): void;
  keys(): readonly string[];
}

export interface SaltsOptions {
  readonly store: SaltStore;
  readonly random: Random;
  readonly clock: Clock;
  /** Thirty-two bytes that are not in the store. */
  readonly pepper: Uint8Array;
}

/** Turns canonical addresses into hashes that cannot be linked beyond their salt's day or artefact [PV1]. */
export class Salts {
  readonly #options: SaltsOptions;
  #daily: { day: string; endsAt: number; key: HmacKey } | undefined;
  /** Cache of the last result: a request needs its own hash more than once. */
  #lastDaily: { address: string; hash: string } | undefined;

  constructor(options: SaltsOptions) {
    if (options.pepper.byteLength !== SALT_BYTES) throw new TypeError('the pepper has 32 bytes');
    this.#options = options;
  }

  /** The hash for daily limits; it changes at 00:00 UTC. */
  daily(address: string): string {
    const now = this.#options.clock.now();
    if (this.#daily === undefined || now >= this.#daily.endsAt) {
      this.rotate();
      const day = utcDay(now);
      this.#daily = { day, endsAt: nextUtcDay(now), key: this.#key(this.mint(dailyKey(day))) };
      this.#lastDaily = undefined;
    }
    if (this.#lastDaily?.address !== address) {
      this.#lastDaily = { address, hash: hmac(this.#daily.key, address) };
    }
    return this.#lastDaily.hash;
  }

  /** Deletes the salts of all days but today's. */
  rotate(): void {
    const today = dailyKey(utcDay(this.#options.clock.now()));
    for (const key of this.#options.store.keys()) {
      if (key.startsWith('daily:') && key !== today) this.#options.store.delete(key);
    }
    if (this.#daily && dailyKey(this.#daily.day) !== today) this.#daily = undefined;
  }

  /** The hash under a key's salt; undefined if there is no salt or it was destroyed. */
  under(key: string, address: string): string | undefined {
    const salt = this.#options.store.get(key);
    return salt && hmac(this.#key(salt), address);
  }

  /** The salt of this key; creates it if missing. */
  mint(key: string): Salt {
    return this.#options.store.get(key) ?? this.#make(key);
  }

  /** The hash under a new salt. */
  underNew(key: string, address: string): string {
    return hmac(this.#key(this.#make(key)), address);
  }

  /** A key derived from the pepper alone, valid as long as the store. */
  keyFor(purpose: string): string {
    return hmac(hmacKey(new Uint8Array(SALT_BYTES), this.#options.pepper), purpose);
  }

  mintedAt(key: string): number | undefined {
    return this.#options.store.get(key)?.mintedAt;
  }

  keys(): readonly string[] {
    return this.#options.store.keys();
  }

  rekey(from: string, to: string): void {
    this.#options.store.rename(from, to);
  }

  destroy(key: string): void {
    this.#options.store.delete(key);
  }

  /** Deletes salts that a crash left behind: those of artefacts and submissions that no longer need one. */
  sweep(isLive: (key: string) => boolean): void {
    for (const key of this.#options.store.keys()) {
      if (!key.startsWith('daily:') && !isLive(key)) this.#options.store.delete(key);
    }
    this.rotate();
  }

  #make(key: string): Salt {
    const salt = { bytes: this.#options.random.bytes(SALT_BYTES), mintedAt: this.#options.clock.now() };
    this.#options.store.put(key, salt);
    return salt;
  }

  #key({ bytes }: Salt): HmacKey {
    return hmacKey(bytes, this.#options.pepper);
  }
}

/** The two initial blocks of HMAC. */
interface HmacKey {
  readonly inner: Buffer;
  readonly outer: Buffer;
}

/** The key: salt and pepper together fill exactly one SHA-256 block. */
function hmacKey(salt: Uint8Array, pepper: Uint8Array): HmacKey {
  const inner = Buffer.concat([salt, pepper]);
  const outer = Buffer.from(inner);
  for (let i = 0; i < inner.length; i++) {
    inner[i] = (inner[i] as number) ^ 0x36;
    outer[i] = (outer[i] as number) ^ 0x5c;
  }
  return { inner, outer };
}

/** HMAC-SHA-256 by definition: much cheaper than creating a keyed object. */
function hmac({ inner, outer }: HmacKey, text: string): string {
  const digest = hash('sha256', Buffer.concat([inner, Buffer.from(text)]), 'buffer');
  return hash('sha256', Buffer.concat([outer, digest]), 'hex');
}

/** The UTC date of an instant, as `2026-11-15`. */
export function utcDay(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}

/** The first instant of the next UTC day. */
export function nextUtcDay(at: number): number {
  const dayMs = 86_400_000;
  return (Math.floor(at / dayMs) + 1) * dayMs;
}

function dailyKey(day: string): string {
  return `daily:${day}`;
}
