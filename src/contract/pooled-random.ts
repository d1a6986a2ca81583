import type { Random } from './ports.ts';

const POOL_BYTES = 8192;

/** Draws random bytes a pool at a time, because a draw costs more than its bytes; no byte is returned twice or kept. */
export function pooledRandom(random: Random): Random {
  let pool = new Uint8Array(0);
  let used = 0;
  return {
    bytes(length) {
      if (length > POOL_BYTES) return random.bytes(length);
      if (used + length > pool.byteLength) {
        pool = Uint8Array.from(random.bytes(POOL_BYTES));
        used = 0;
      }
      const given = pool.slice(used, used + length);
      pool.fill(0, used, used + length);
      used += length;
      return given;
    },
  };
}
