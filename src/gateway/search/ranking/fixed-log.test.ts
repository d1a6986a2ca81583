import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fixedLog2, inverseDocumentFrequency, LOG_ONE } from './fixed-log.ts';
import { integerRoot } from './integer-root.ts';

test('the integer logarithm is within one unit of the true one', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 2 ** 45 }), (value) => {
      expect(Math.abs(fixedLog2(value) - Math.log2(value) * LOG_ONE)).toBeLessThan(1.01);
    }),
  );
});

test('the integer logarithm is exact at powers of two', () => {
  expect([1, 2, 4, 1024, 2 ** 40].map(fixedLog2)).toEqual([0, 256, 512, 2560, 10_240]);
});

test('a rarer term weighs more, and no weight is negative', () => {
  const weights = [1, 2, 10, 99, 100, 500].map((frequency) => inverseDocumentFrequency(100, frequency));
  expect(weights).toEqual(weights.toSorted((a, b) => b - a));
  expect(weights.at(-1)).toBe(0);
});

test('the integer root is the integer part of the root', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 2 ** 50 }), (value) => {
      const root = integerRoot(value);
      expect(BigInt(root) ** 2n <= BigInt(value) && BigInt(root + 1) ** 2n > BigInt(value)).toBe(true);
    }),
  );
});
