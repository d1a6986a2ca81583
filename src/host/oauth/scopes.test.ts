import { expect, test } from 'vitest';
import { coversScopes, unionScopes } from './discover-authorization.ts';
import { OAUTH_LIMITS as LIMITS } from './limits.ts';

test('a union has each scope once, in order', () => {
  expect([unionScopes('a b', undefined, 'b  c', ''), unionScopes(undefined, ''), unionScopes()]).toEqual([
    'a b c',
    undefined,
    undefined,
  ]);
});

test('scopes cover others if all of them are there', () => {
  expect([
    coversScopes('a b', 'b'),
    coversScopes('a', 'a b'),
    coversScopes(undefined, undefined),
    coversScopes(undefined, 'a'),
  ]).toEqual([true, false, true, false]);
});

test('a scope has printable characters without blanks, quotation marks and backslashes, and their number is limited', () => {
  const all = (count: number) => Array.from({ length: count }, (_, index) => `s${index}`).join(' ');
  expect([
    unionScopes('a "b" c\\d é \u0000 !~[]'),
    unionScopes(all(LIMITS.scopesMax)),
    unionScopes(all(LIMITS.scopesMax + 1)),
  ]).toEqual(['a !~[]', all(LIMITS.scopesMax), all(LIMITS.scopesMax)]);
});

test('several blanks between scopes count as one', () => {
  expect([
    coversScopes('a', 'a  a '),
    coversScopes('', ''),
    coversScopes('', 'a'),
    coversScopes('a', undefined),
  ]).toEqual([true, true, false, true]);
});
