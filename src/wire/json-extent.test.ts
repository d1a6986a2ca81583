import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isWithinExtent } from './json-extent.ts';

test('a value is within its own size and depth, and not within one byte or one level less', () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 5 }), (text) => {
      const value: unknown = JSON.parse(text);
      const bytesMax = Buffer.byteLength(JSON.stringify(value));
      const depthMax = depthOf(value);
      expect([
        isWithinExtent(value, { bytesMax, depthMax }),
        isWithinExtent(value, { bytesMax: bytesMax - 1, depthMax }),
        isWithinExtent(value, { bytesMax, depthMax: depthMax - 1 }),
      ]).toEqual([true, false, depthMax === 0]);
    }),
  );
});

test('a value of two million levels is refused without a deep stack', () => {
  const deep: unknown = JSON.parse(`${'['.repeat(2_000_000)}${']'.repeat(2_000_000)}`);
  expect(isWithinExtent(deep, { bytesMax: 8 * 1024 * 1024, depthMax: 32 })).toBe(false);
});

function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depthOf));
}
