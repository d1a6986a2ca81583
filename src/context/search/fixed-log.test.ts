import fc from 'fast-check';
import { expect, test } from 'vitest';
import { propertyRuns } from '../testing/arbitraries.ts';
import { fixedLog2 } from './fixed-log.ts';

test('powers of two are exact', () => {
  expect([1, 2, 4, 1024, 2 ** 40].map(fixedLog2)).toEqual([0, 65_536, 131_072, 655_360, 2_621_440]);
});

test('any integer has its logarithm to within a few parts of 65536, and never a smaller one than a smaller integer', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 2 ** 31 }), (integer) => {
      expect(Math.abs(fixedLog2(integer) / 65_536 - Math.log2(integer))).toBeLessThan(0.0001);
      expect(fixedLog2(integer + 1)).toBeGreaterThanOrEqual(fixedLog2(integer));
    }),
    { numRuns: propertyRuns * 5 },
  );
});
