import { expect, test } from 'vitest';
import { LinearPattern, linearPattern } from './linear-pattern.ts';
import { NotJudged, StepBudget } from './steps.ts';

/** Letters `a` and `b` in an order that does not repeat itself. */
function letters(count: number): string {
  let seed = 1;
  return Array.from({ length: count }, () => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0;
    return seed > 0x7fffffff ? 'a' : 'b';
  }).join('');
}

const unbounded = () => new StepBudget(Number.POSITIVE_INFINITY);

test.each([
  ['^[a-z0-9-]+$', ['octo-cat', '', 'Octo', 'a\n']],
  ['\\bfoo\\b', ['a foo b', 'food', 'foo', '_foo']],
  ['^\\p{L}{2,3}$', ['äö', 'ä', 'äöüß', '😀😀']],
  ['^.$', ['😀', '\ud83d', 'ab', '\u2028']],
  ['^(?:a|ab)(?:c|bcd)$', ['abcd', 'ac', 'abc', 'abbcd']],
  ['[\\]\\-x]$', ['a]', 'a-', 'ax', 'a']],
  ['^(?<year>\\d{4})-\\d\\d$', ['2026-01', '26-01']],
  ['^$|^x{0}y??z$', ['', 'z', 'yz', 'xz']],
])('%s matches what it matches in ECMAScript', (source, texts) => {
  const pattern = linearPattern(source);
  const expression = new RegExp(source, 'u');
  expect(texts.map((text) => pattern.test(text, unbounded()))).toEqual(texts.map((text) => expression.test(text)));
});

test.each(['^([a-z0-9]+-?)+$', '^(a|a)*$', '^(a?){60}a*$', '^(((a*)*)*)*$', 'a*a*a*a*a*b'])(
  '%s takes a few steps for each character',
  (source) => {
    const text = `${'a'.repeat(200_000)}!`;
    expect(new LinearPattern(source).test(text, new StepBudget(60_000))).toBe(false);
  },
);

test('a pattern with too many states to cache stops at its budget', () => {
  const text = letters(50_000);
  const judge = () => new LinearPattern('(a|b)*a(a|b){40}c').test(text, new StepBudget(100_000));
  expect(judge).toThrow(NotJudged);
});

test('the caches of all patterns are dropped together, and matching continues', () => {
  const text = letters(8_000);
  const patterns = [12, 13].map((count) => new LinearPattern(`a(a|b){${count}}c$`));
  const found = patterns.map((pattern) => [pattern.test(text, unbounded()), pattern.test(`${text}c`, unbounded())]);
  expect(found).toEqual([12, 13].map((count) => [false, text.at(-count - 1) === 'a']));
});

test('each executed pattern and each new transition costs steps', () => {
  const pattern = new LinearPattern('^p1x');
  expect(() => pattern.test('', new StepBudget(3))).toThrow();
  expect(() => pattern.test('member', new StepBudget(40))).toThrow();
  pattern.test('member', new StepBudget(100));
  // The way is known now.
  expect(pattern.test('member', new StepBudget(4))).toBe(false);
});
