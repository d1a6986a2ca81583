import { expect, test } from 'vitest';
import { pooledRandom } from './pooled-random.ts';

/** Counts up, so that a byte that comes twice is seen. */
function counter() {
  let next = 0;
  return { bytes: (length: number) => Uint8Array.from({ length }, () => next++ & 0xff) };
}

test('gives the bytes of its source in order, none of them twice, and of the length that was asked for', () => {
  const pooled = pooledRandom(counter());
  const given = Array.from({ length: 400 }, (_, n) => pooled.bytes((n % 3) * 16));
  expect(given.map((bytes) => bytes.byteLength)).toEqual(Array.from({ length: 400 }, (_, n) => (n % 3) * 16));
  const flat = given.flatMap((bytes) => [...bytes]).slice(0, 4000);
  expect(flat).toEqual(Array.from({ length: 4000 }, (_, n) => n & 0xff));
});

test('more than a pool is drawn directly', () => {
  expect(pooledRandom(counter()).bytes(10_000).byteLength).toBe(10_000);
});
