import fc from 'fast-check';
import { expect, test } from 'vitest';
import { selectDocuments } from './select-documents.ts';
import { propertyRuns } from './testing/arbitraries.ts';

interface Measured {
  readonly matches: number;
  readonly words: number;
  readonly tokens: number;
}

const measuresOf = (documents: readonly Measured[]) => ({
  matches: Uint32Array.from(documents, ({ matches }) => matches),
  totalWords: Uint32Array.from(documents, ({ words }) => words),
  tokens: Uint32Array.from(documents, ({ tokens }) => tokens),
});

test('[context:S3] [context:S5] any selection is the greedy walk over the sorted list', () => {
  const measured = fc
    .record({ words: fc.oneof(fc.nat(5), fc.nat(3000)), share: fc.nat(10), tokens: fc.nat(12) })
    .map(({ words, share, tokens }) => ({ words, matches: Math.floor((words * share) / 10), tokens }));
  fc.assert(
    fc.property(fc.array(measured, { maxLength: 60 }), fc.integer({ min: 1, max: 200 }), (documents, budget) => {
      const order = documents
        .map((document, index) => ({
          ...document,
          index,
          score: document.words ? Math.fround(document.matches / document.words) : 0,
        }))
        .sort((left, right) => right.score - left.score || left.index - right.index);
      let used = 0;
      const expected = order.filter(({ tokens }) => {
        if (used + tokens > budget) return false;
        used += tokens;
        return true;
      });
      expect(selectDocuments(measuresOf(documents), budget)).toEqual(expected.map(({ index }) => index));
    }),
    { numRuns: propertyRuns * 5 },
  );
});

test('[context:S6] a budget of 0 selects nothing, not even an empty document', () => {
  expect(selectDocuments(measuresOf([{ matches: 0, words: 0, tokens: 0 }]), 0)).toEqual([]);
});
