import { expect, test } from 'vitest';
import { coversScopes, unionScopes } from './scopes.ts';

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
