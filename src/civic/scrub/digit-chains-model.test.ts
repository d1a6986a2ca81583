import fc from 'fast-check';
import { expect, it } from 'vitest';
import { countDigits, type DigitChain, digitsPattern, findDigitChains, windowsOf } from './digit-chains.ts';
import { SCRUB_LIMITS } from './limits.ts';

const text = fc.string({ unit: fc.constantFrom(...'0189/:az{`  .-\u2212x\t'), maxLength: 40 });
const SEPARATOR = /^[\s./\\_\-\u2010-\u2015\u2212\u00b7\u2022]$/;

/** Chains as one would read them: each digit joins the one before where few separators, and nothing else, stand between. */
function naiveChains(source: string, separatorsMax: number): DigitChain[] {
  const places = [...source].flatMap((char, at) => (/^[0-9]$/.test(char) ? [at] : []));
  const chains: { digits: string; offsets: number[]; groups: number[] }[] = [];
  for (const [index, at] of places.entries()) {
    const between = index === 0 ? '' : source.slice((places[index - 1] as number) + 1, at);
    const isJoined = index > 0 && between.length <= separatorsMax && [...between].every((one) => SEPARATOR.test(one));
    if (!isJoined) chains.push({ digits: '', offsets: [], groups: [] });
    const chain = chains.at(-1) as (typeof chains)[number];
    if (!isJoined || between !== '') chain.groups.push(chain.digits.length);
    chain.digits += source[at];
    chain.offsets.push(at);
  }
  return chains;
}

it('chains are those of a naive reader, and digits are counted', () => {
  fc.assert(
    fc.property(text, fc.nat(4), (source, separatorsMax) => {
      expect(findDigitChains(source, separatorsMax)).toEqual(naiveChains(source, separatorsMax));
      expect(findDigitChains(source)).toEqual(naiveChains(source, SCRUB_LIMITS.separatorsMax));
      expect(countDigits(source)).toBe(source.replace(/[^0-9]/g, '').length);
    }),
    { numRuns: 1_000 },
  );
});

it('windows are every run of few groups, or all of them, with so many digits, by start and the longest first', () => {
  const groups = fc.array(fc.integer({ min: 1, max: 4 }), {
    minLength: 1,
    maxLength: SCRUB_LIMITS.numberGroupsMax + 3,
  });
  fc.assert(
    fc.property(groups, fc.integer({ min: 1, max: 9 }), fc.nat(9), (sizes, min, more) => {
      const max = min + more;
      const written = `a ${sizes.map((size) => '123456789'.slice(0, size)).join(' ')} b`;
      const [chain] = findDigitChains(written) as [DigitChain];
      const starts = sizes.map((_, at) => 2 + sizes.slice(0, at).reduce((sum, size) => sum + size + 1, 0));
      const runs = sizes.flatMap((_, first) =>
        sizes.slice(first).map((_one, length) => [first, first + length] as const),
      );
      const windows = runs
        .map(([first, last]) => {
          const shape = sizes.slice(first, last + 1);
          const start = starts[first] as number;
          const end = (starts[last] as number) + (sizes[last] as number);
          const digits = written.slice(start, end).replaceAll(' ', '');
          return { digits, shape, whole: shape.length === sizes.length, start, end };
        })
        .filter(({ digits, shape, whole }) => {
          const isFew = shape.length <= SCRUB_LIMITS.numberGroupsMax;
          return (isFew || whole) && digits.length >= min && digits.length <= max;
        })
        .sort((a, b) => a.start - b.start || b.end - a.end);
      expect(windowsOf(chain, min, max)).toEqual(windows);
    }),
    { numRuns: 1_000 },
  );
});

it('a pattern of so many digits takes them with few separators between, and no digit more', () => {
  const takes = (count: Parameters<typeof digitsPattern>[0], source: string) =>
    new RegExp(digitsPattern(count)).exec(source)?.[0];
  expect([
    ['1', '12', '123', '1234'].map((digits) => takes(3, digits)),
    ['12', '1 2.3', '1-2-3-4', '12345'].map((digits) => takes([3, 4], digits)),
    [takes([3, 3], '123'), takes(1, 'a1b'), takes(3, '1    2 3')],
  ]).toEqual([
    [undefined, undefined, '123', undefined],
    [undefined, '1 2.3', '1-2-3-4', undefined],
    ['123', '1', undefined],
  ]);
});
