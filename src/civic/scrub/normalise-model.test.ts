import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type NormalisedText, normaliseCharacters, normaliseText } from './normalise-text.ts';

const IGNORED = /[\p{Cf}\p{Default_Ignorable_Code_Point}]/u;
const MARK = /\p{M}/u;

/** Each decimal digit of Unicode with its value: they stand in runs of ten. */
const VALUES = new Map<string, string>();
for (let code = 0, before = -1, value = 0; code <= 0x10ffff; code += 1) {
  if (code >= 0xd800 && code <= 0xdfff) continue;
  const char = String.fromCodePoint(code);
  if (!/\p{Nd}/u.test(char)) continue;
  value = code === before + 1 ? (value + 1) % 10 : 0;
  before = code;
  VALUES.set(char, String(value));
}

interface Unit {
  readonly unit: string;
  readonly start: number;
  readonly end: number;
}

/** Characters with their marks, one after the other, each normalised by itself. */
function naiveUnits(source: string): Unit[] {
  const clusters: { text: string; start: number; end: number }[] = [];
  let at = 0;
  for (const char of source) {
    const [start, end] = [at, at + char.length];
    at = end;
    if (IGNORED.test(char)) continue;
    const last = clusters.at(-1);
    if (last && MARK.test(char)) clusters[clusters.length - 1] = { text: last.text + char, start: last.start, end };
    else clusters.push({ text: char, start, end });
  }
  return clusters.flatMap(({ text, start, end }) => {
    let isAfterDigit = false;
    const shown = [...text.normalize('NFKC')].flatMap((char) => {
      const digit = VALUES.get(char);
      if (digit === undefined && ((isAfterDigit && MARK.test(char)) || IGNORED.test(char))) return [];
      isAfterDigit = digit !== undefined;
      return digit ?? char;
    });
    return [...shown.join('').split('')].map((unit) => ({ unit, start, end }));
  });
}

const unitsOf = ({ text, startOf, endOf }: NormalisedText): Unit[] =>
  text.split('').map((unit, at) => ({ unit, start: startOf(at), end: endOf(at) }));

const CHARS = [
  ...'ab9 .\u007f\u0080é\u00aa½①٣３०',
  ...['e\u0301', '\u0301', '\u0327', '\u20e3', '9\ufe0f\u20e3', '\u200b', '\u00ad', '\u2060', 'ﬁ', '㎏', 'ﷺ', '가'],
  ...[
    '\u{1d7d9}',
    '\u{1d7ff}',
    '\u{1fbf9}',
    '😀',
    '\u{e0041}',
    '\ud83d',
    '\ude00',
    '\uffff',
    '\u{10ffff}',
    '\u1100\u1161',
  ],
];

it('a text is normalised as a naive reader does it, and every unit knows where it comes from', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(...CHARS), maxLength: 14 }), (source) => {
      expect(unitsOf(normaliseCharacters(source))).toEqual(naiveUnits(source));
    }),
    { numRuns: 3_000 },
  );
});

it.each([
  ['a&#64;b', 'a@b'],
  ['a&#x40b', 'a\u040b'],
  ['a&#x40;b', 'a@b'],
  ['a&commat;b &NotThere; &nothere;', 'a@b &NotThere; &nothere;'],
  ['&#0;&#1;', '\ufffd\u0001'],
  ['&#xd7ff;&#xd800;&#xdfff;&#xe000;', '\ud7ff\ufffd\ufffd\ue000'],
  ['&#x10ffff;&#x110000;', '\u{10ffff}\ufffd'],
  ['a\\@b\\.c\\d', 'a@b.c\\d'],
  ['a**b** ~~c~~d `e`f', 'ab** ~~cd `ef'],
  ['&#233;&#x301;', 'é\u0301'.normalize('NFKC')],
  ['\\', '\\'],
])('%j is shown as %j, and each unit stands for a part of it', (source, text) => {
  const units = unitsOf(normaliseText(source));
  expect(units.map(({ unit }) => unit).join('')).toBe(text);
  for (const [index, { start, end }] of units.entries()) {
    expect([start < end, end <= source.length, start >= (units[index - 1]?.start ?? 0)]).toEqual([true, true, true]);
    // What is spelled by itself gives the same unit again.
    expect(normaliseText(source.slice(start, end)).text).toContain((units[index] as Unit).unit);
  }
});
