import { expect, test } from 'vitest';
import { parseChallenge } from './challenge.ts';
import { OAUTH_LIMITS as LIMITS } from './limits.ts';

const nothing = { resourceMetadata: undefined, scope: undefined, error: undefined };

test.each([
  [undefined, nothing],
  ['Basic realm="x"', nothing],
  ['Bearer', nothing],
  [
    'Bearer scope="a b", resource_metadata="https://x/y"',
    { ...nothing, scope: 'a b', resourceMetadata: 'https://x/y' },
  ],
  ['bearer error=insufficient_scope,scope=a', { ...nothing, error: 'insufficient_scope', scope: 'a' }],
  ['Basic realm="scope=\\"no\\"", Bearer scope="yes"', { ...nothing, scope: 'yes' }],
  ['Bearer realm="a, \\"b\\"", error="invalid_token"', { ...nothing, error: 'invalid_token' }],
  ['Bearer scope="first", scope="second"', { ...nothing, scope: 'first' }],
  ['Basic realm="a, Bearer scope=no"', nothing],
  ['Bearer scope="yes", Basic error="no"', { ...nothing, scope: 'yes' }],
  ['Bearer realm="x" error="y"', { ...nothing, error: 'y' }],
  ['Bearer error="does not end', nothing],
  ['Bearer scope=, error=x', { ...nothing, error: 'x' }],
  ['Negotiate abc==, DPoP scope = "a"', { ...nothing, scope: 'a' }],
])('%s', (header, expected) => {
  expect(parseChallenge(header)).toEqual(expected);
});

test('a challenge of the longest size is read, and one of a character more is none', () => {
  const sized = (chars: number) => parseChallenge('Bearer scope="a"'.padEnd(chars, ' x')).scope;
  expect([sized(LIMITS.challengeCharsMax), sized(LIMITS.challengeCharsMax + 1)]).toEqual(['a', undefined]);
});
