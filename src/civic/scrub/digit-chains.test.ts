import { describe, expect, it } from 'vitest';
import { digitsPattern, findDigitChains } from './digit-chains.ts';
import { SCRUB_LIMITS } from './limits.ts';
import { scrubSubmission } from './scrub-submission.ts';

const SEPARATORS = [...' .-/\\_\t\n\u00a0\u2010\u2011\u2012\u2013\u2014\u2015\u2212\u00b7\u2022'];
const NAMES = SEPARATORS.map(
  (separator) => [separator.codePointAt(0)?.toString(16).padStart(4, '0'), separator] as const,
);
/** A Belgian national number, in groups as it is written. */
const NUMBER = ['85', '07', '30', '033', '28'];

const chainsOf = (text: string) => findDigitChains(text).map(({ digits }) => digits);
const rejectsOf = (text: string) => scrubSubmission({ report: text }, []).rejects.map(({ rule }) => rule);

describe('numbers that are parted', () => {
  it.each(NAMES)('[civic:PV15] by up to three of U+%s are one number, by four they are several', (_name, separator) => {
    for (let count = 0; count <= SCRUB_LIMITS.separatorsMax; count += 1) {
      const text = NUMBER.join(separator.repeat(count));
      expect([chainsOf(text), new RegExp(`^${digitsPattern(11)}$`).test(text), rejectsOf(`niss ${text}`)]).toEqual([
        [NUMBER.join('')],
        true,
        ['belgian_nrn'],
      ]);
    }
    const apart = NUMBER.join(separator.repeat(SCRUB_LIMITS.separatorsMax + 1));
    expect([chainsOf(apart), new RegExp(digitsPattern(11)).test(apart)]).toEqual([NUMBER, false]);
  });

  it('[civic:PV15] by three different separators, or by a minus sign, are one number', () => {
    for (const gap of [' - ', '. \u2212', ' / ', '\u2212', '-.\u00b7', '_\u2022 ']) {
      const text = NUMBER.join(gap);
      expect([gap, chainsOf(text), rejectsOf(text)]).toEqual([gap, [NUMBER.join('')], ['belgian_nrn']]);
    }
  });

  it('[civic:PV15] of a telephone may have a minus sign or several separators between them', () => {
    const phone = ['+32', '470', '12', '34', '56'];
    const rulesOf = (gap: string) => rejectsOf(`call ${phone.join(gap)} now`);
    for (const gap of [' ', '\u2212', ' \u2212 ', '-'.repeat(SCRUB_LIMITS.phoneSeparatorsMax)])
      expect([gap, rulesOf(gap)]).toEqual([gap, ['eu_phone']]);
    expect(rulesOf('-'.repeat(SCRUB_LIMITS.phoneSeparatorsMax + 1))).toEqual([]);
  });

  it('by a letter or another sign are several', () => {
    for (const gap of ['x', ',', ' , ', '+', '*']) expect(chainsOf(NUMBER.join(gap))).toEqual(NUMBER);
  });

  it('count one group for each run of digits, wherever the separators stand', () => {
    expect(findDigitChains('a12 - 3\u22124b')).toEqual([{ digits: '1234', offsets: [1, 2, 6, 8], groups: [0, 2, 3] }]);
  });
});
