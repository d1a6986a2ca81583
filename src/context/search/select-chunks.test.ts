import fc from 'fast-check';
import { expect, test } from 'vitest';
import { propertyRuns } from '../testing/arbitraries.ts';
import { selectChunks } from './select-chunks.ts';

const anyChunk = fc.record({
  score: fc.oneof(fc.constantFrom(0.1, 1, 1.0001, 7.25), fc.double({ min: 1e-9, max: 20, noNaN: true })),
  tokens: fc.nat(30),
});

test('any chunks are taken as by sorting them all and walking the list', () => {
  fc.assert(
    fc.property(fc.array(anyChunk, { maxLength: 60 }), fc.nat(200), (all, budget) => {
      let left = budget;
      const expected = all
        .map((chunk, number) => ({ ...chunk, number }))
        .sort((a, b) => b.score - a.score || a.number - b.number)
        .filter(({ tokens }) => {
          if (budget === 0 || tokens > left) return false;
          left -= tokens;
          return true;
        })
        .map(({ number }) => number);
      const chunks = Uint32Array.from(all.keys()).reverse();
      const scores = Float64Array.from(all, ({ score }) => score);
      const measures = Uint16Array.from(all.flatMap(({ tokens }) => [0, 0, 0, tokens]));
      expect(selectChunks({ chunks, scores }, measures, budget)).toEqual(expected);
    }),
    { numRuns: 20 * propertyRuns },
  );
});
