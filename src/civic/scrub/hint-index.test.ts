import fc from 'fast-check';
import { expect, test } from 'vitest';
import { HintIndex } from './hint-index.ts';

const letters = fc.constantFrom('a', 'b', 'c', ' ', 'é', 'ж');
const hint = fc.string({ unit: letters, minLength: 2, maxLength: 5 });

test('finds the owners that a search for each of their hints finds, in their order', () => {
  fc.assert(
    fc.property(
      fc.array(fc.array(hint, { minLength: 1, maxLength: 3 }), { maxLength: 6 }),
      fc.string({ unit: letters, maxLength: 40 }),
      (owners, text) => {
        const naive = owners.flatMap((hints, owner) => (hints.some((one) => text.includes(one)) ? [owner] : []));
        expect(new HintIndex(owners).find(text)).toEqual(naive);
      },
    ),
    { numRuns: 500 },
  );
});
