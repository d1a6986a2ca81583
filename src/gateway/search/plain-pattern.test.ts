import { expect, test } from 'vitest';
import { isPlainPattern } from './plain-pattern.ts';

test.each([
  '^[a-z0-9-]+$',
  '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}$',
  '(ab|cd)?x',
  '[(+*]+',
  '^(?:ab)+$',
  '^-?\\d+(\\.\\d+)?$',
  '^https?://[^/]+(/.*)?$',
  '^(?<year>\\d{4})-(?=x)',
  '^a+?b*?c{1,2}?',
  '^(?:get|put|post|patch|delete|head|options|trace|connect)$',
  '^(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\\d|3[01])$',
  'what\\?\\?\\?\\?\\?\\?\\?\\?\\?\\?\\?\\?\\?\\?[?]',
])('%s can be run on any text', (pattern) => {
  expect(isPlainPattern(pattern)).toBe(true);
});

test.each([
  '(a+)+$',
  '(a|a)*$',
  '(.*)\\1',
  '((ab?)*)*',
  'a*a*a*a*a*b',
  'a*a*a*b',
  '^x|a*a*a*b',
  'x'.repeat(300),
  '^(a?){26}b$',
  '^(?:a?){26}b$',
  '^(a??){26}b$',
  '^((?:a?)){26}b$',
  `^${'a?'.repeat(30)}b$`,
  `^${'a??'.repeat(30)}b$`,
  `^${'(a|a)'.repeat(30)}b$`,
])('%s is not run', (pattern) => {
  expect(isPlainPattern(pattern)).toBe(false);
});
