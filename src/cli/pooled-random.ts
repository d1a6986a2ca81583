import { randomFillSync } from 'node:crypto';
import type { Random } from '../contract/ports.ts';

const POOL_BYTES = 4_096;

/** Randomness of the operating system, drawn for many at once: each call needs ten bytes of it, and drawing costs more than they do. */
export function pooledRandom(): Random {
  const pool = Buffer.alloc(POOL_BYTES);
  let at = POOL_BYTES;
  return {
    bytes(length) {
      if (length > POOL_BYTES) return randomFillSync(new Uint8Array(length));
      if (at + length > POOL_BYTES) {
        randomFillSync(pool);
        at = 0;
      }
      const drawn = new Uint8Array(pool.subarray(at, at + length));
      // What was given out is not kept.
      pool.fill(0, at, at + length);
      at += length;
      return drawn;
    },
  };
}
