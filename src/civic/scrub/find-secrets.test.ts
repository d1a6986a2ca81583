import { expect, test } from 'vitest';
import { findApiKeys, findUrlSecrets } from './find-secrets.ts';
import { SCRUB_LIMITS } from './limits.ts';

const isKey = (word: string) => findApiKeys(`see ${word} there`).length > 0;
/** So many signs, of which so many differ, whose class changes at each of them. */
const wordOf = (length: number, kinds: number) => {
  const signs = 'aB1cD2eF3gH4iJ5kL6'.slice(0, kinds);
  return Array.from({ length }, (_, index) => signs[index % kinds]).join('');
};

test('a word that only a generator writes is a key from so many signs to so many', () => {
  const { keyCharsMin: min, keyCharsMax: max } = SCRUB_LIMITS;
  expect([min - 1, min, max, max + 1].map((length) => isKey(wordOf(length, 18)))).toEqual([false, true, true, false]);
});

test('a word whose signs come again and again, or whose classes seldom change, is none', () => {
  const calm = 'abcdefghijklmnopABCDEFGHIJKLMNOP123456';
  expect([wordOf(36, 18), wordOf(36, 12), wordOf(32, 8), wordOf(33, 3), calm].map(isKey)).toEqual([
    true,
    true,
    false,
    false,
    false,
  ]);
});

test('hashes, identifiers of one case and words without a digit are none', () => {
  const hash = '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08';
  expect([hash, hash.toUpperCase(), 'aBcDeFgHiJkLmNoPqRsTuVwX'].map(isKey)).toEqual([false, false, false]);
});

test('a key with a known prefix is found once, whole, beside others', () => {
  const key = `ghp_${wordOf(24, 18)}`;
  const other = wordOf(30, 18);
  const text = `${key} and ${other}`;
  expect(findApiKeys(text)).toEqual([
    { rule: 'api_key', start: 0, end: key.length },
    { rule: 'api_key', start: key.length + 5, end: text.length },
  ]);
});

test.each([
  ['https://a.example/?token=abcdef', true],
  ['https://a.example/?token=abcde', false],
  ['https://a.example/?page=abcdef', false],
  ['https://user:word@a.example/', true],
  ['user@a.example', false],
  ['https://a.example/reset/abcdefgh12345678', true],
  ['https://a.example/reset/abcdefghijklmnop', false],
  ['https://a.example/posts/abcdefgh12345678', false],
  ['eyJhbGciOi.eyJzdWIiOi.c2ln', true],
  ['eyJhbGciOi and more', false],
])('%s holds a secret: %s', (text, isSecret) => {
  expect(findUrlSecrets(text).length > 0).toBe(isSecret);
});
