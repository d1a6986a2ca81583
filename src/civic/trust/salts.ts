import { hash } from 'node:crypto';
import type { Clock, Random } from '../../contract/ports.ts';

const SALT_BYTES = 32;

export interface Salt {
  readonly bytes: Uint8Array;
  readonly mintedAt: number;
}

/** Where salts are kept, apart from everything that is hashed with them. What is deleted cannot be read again. */
export interface SaltStore {
  get(key: string): Salt | undefined;
  put(key: string, salt: Salt): void;
  /** The salt moves to another key; its bytes stay. */
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

/** Turns canonical addresses into hashes that mean nothing outside their salt's day or artefact [PV1]. */
export class Salts {
  readonly #options: SaltsOptions;
  #daily: { day: string; endsAt: number; key: HmacKey } | undefined;
  /** The last answer: a request asks for its own more than once. */
  #lastDaily: { address: string; hash: string } | undefined;

  constructor(options: SaltsOptions) {
    if (options.pepper.byteLength !== SALT_BYTES) throw new TypeError('the pepper has 32 bytes');
    this.#options = options;
  }

  /** The hash that limits count under; it is another one after 00:00 UTC. */
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

  /** The hash under a key's salt; undefined: there is none, or it was destroyed. */
  under(key: string, address: string): string | undefined {
    const salt = this.#options.store.get(key);
    return salt && hmac(this.#key(salt), address);
  }

  /** The salt of this key, minted if there is none. */
  mint(key: string): Salt {
    return this.#options.store.get(key) ?? this.#make(key);
  }

  /** The hash under a new salt for something that has none yet. */
  underNew(key: string, address: string): string {
    return hmac(this.#key(this.#make(key)), address);
  }

  /** A key of the pepper alone, for what must be recognised as long as the store lasts. */
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

  /** Deletes what a crash left behind: salts of artefacts and submissions that no longer need one. */
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

/** The two blocks that HMAC begins its hashes with. */
interface HmacKey {
  readonly inner: Buffer;
  readonly outer: Buffer;
}

/** The key of salt and pepper together, which is exactly one block of SHA-256. */
function hmacKey(salt: Uint8Array, pepper: Uint8Array): HmacKey {
  const inner = Buffer.concat([salt, pepper]);
  const outer = Buffer.from(inner);
  for (let i = 0; i < inner.length; i++) {
    inner[i] = (inner[i] as number) ^ 0x36;
    outer[i] = (outer[i] as number) ^ 0x5c;
  }
  return { inner, outer };
}

/** HMAC-SHA-256 by its definition: a fraction of what making a keyed object costs. */
function hmac({ inner, outer }: HmacKey, text: string): string {
  const digest = hash('sha256', Buffer.concat([inner, Buffer.from(text)]), 'buffer');
  return hash('sha256', Buffer.concat([outer, digest]), 'hex');
}

/** The date of an instant, UTC, as `2026-11-15`. */
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
