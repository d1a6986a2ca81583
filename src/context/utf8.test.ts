import fc from 'fast-check';
import { expect, test } from 'vitest';
import { naiveCompare } from '../../test/naive/context.ts';
import { propertyRuns } from './testing/arbitraries.ts';
import { compareUtf8, decodeUtf8 } from './utf8.ts';

test('[context:C3] texts are ordered by their bytes, astral characters last', () => {
  const names = ['🚀.md', '～.md', 'é.md', 'z.md', 'a0.md', 'a/b.md', 'a.md', 'a-b.md'];
  expect(names.sort(compareUtf8)).toEqual(['a-b.md', 'a.md', 'a/b.md', 'a0.md', 'z.md', 'é.md', '～.md', '🚀.md']);
});

test('[context:C3] any two texts compare as their bytes do', () => {
  const text = fc.string({
    unit: fc.constantFrom('a', 'b', '\u{d7ff}', '\ue000', '\uffff', '🚀', '\u{10ffff}'),
    maxLength: 4,
  });
  fc.assert(
    fc.property(text, text, (left, right) => {
      expect(Math.sign(compareUtf8(left, right))).toBe(naiveCompare(left, right));
    }),
    { numRuns: propertyRuns * 5 },
  );
});

test('[context:D3] decoding keeps a byte order mark and refuses what is not UTF-8', () => {
  expect(decodeUtf8(Buffer.from('\ufeffa'))).toBe('\ufeffa');
  expect(decodeUtf8(Uint8Array.of(0x61, 0xff))).toBeUndefined();
});
