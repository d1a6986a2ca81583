import { expect, test } from 'vitest';
import { foldCase } from './fold-case.ts';

test('a letter that case-insensitive parsers treat as an ASCII letter is folded to it', () => {
  const found: string[] = [];
  for (let code = 0; code <= 0x10_ffff; code += 1) {
    const letter = String.fromCodePoint(code);
    const readings = [letter.toLowerCase(), letter.toUpperCase().toLowerCase()];
    const [same = /^[a-z]$/iu.test(letter) ? foldedByRegExp(letter) : undefined] = readings.filter((reading) =>
      /^[a-z]$/.test(reading),
    );
    if (same === undefined) continue;
    found.push(letter);
    expect([letter, foldCase(letter)]).toEqual([letter, same]);
  }
  expect(found.join('')).toBe('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz\u0131\u017f\u212a');
});

function foldedByRegExp(letter: string): string | undefined {
  return [...'abcdefghijklmnopqrstuvwxyz'].find((plain) => new RegExp(plain, 'iu').test(letter));
}

test.each([
  ['Name', 'name'],
  ['arguments', 'ARGUMENTS'],
  ['arguments', 'argument\u017f'],
  ['taskId', 'tas\u212aId'],
  ['uri', 'ur\u0130'],
  ['file', '\ufb01le'],
  ['stra\u00dfe', 'STRASSE'],
  ['\u03c3\u03b1\u03c2', '\u03a3\u0391\u03a3'],
])('%s and %s are one name without case', (one, other) => {
  expect(foldCase(one)).toBe(foldCase(other));
});

test.each([
  ['name', 'names'],
  ['name', 'n_ame'],
  ['name', 'n\u00e2me'],
])('%s and %s are two names', (one, other) => {
  expect(foldCase(one)).not.toBe(foldCase(other));
});
