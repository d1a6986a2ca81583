import { expect, test } from 'vitest';
import { NO_CHALLENGE, parseChallenge } from './challenge.ts';
import { OAUTH_LIMITS as LIMITS } from './limits.ts';

const bearer = { ...NO_CHALLENGE, asksForToken: true };

test.each([
  [undefined, NO_CHALLENGE],
  ['Basic realm="x"', NO_CHALLENGE],
  ['Bearer', bearer],
  ['Bearer scope="a b", resource_metadata="https://x/y"', { ...bearer, scope: 'a b', resourceMetadata: 'https://x/y' }],
  ['bearer error=insufficient_scope,scope=a', { ...bearer, error: 'insufficient_scope', scope: 'a' }],
  ['Basic realm="scope=\\"no\\"", Bearer scope="yes"', { ...bearer, scope: 'yes' }],
  ['Bearer realm="a, \\"b\\"", error="invalid_token"', { ...bearer, error: 'invalid_token' }],
  ['Bearer scope="first", scope="second"', { ...bearer, scope: 'first' }],
  ['Basic realm="a, Bearer scope=no"', NO_CHALLENGE],
  ['Bearer scope="yes", Basic error="no"', { ...bearer, scope: 'yes' }],
  ['Bearer realm="x" error="y"', { ...bearer, error: 'y' }],
  ['Bearer error="does not end', bearer],
  ['Bearer scope=, error=x', { ...bearer, error: 'x' }],
  ['Negotiate abc==, DPoP scope = "a"', { ...bearer, scope: 'a' }],
])('%s', (header, expected) => {
  expect(parseChallenge(header)).toEqual(expected);
});

test('a challenge of the longest size is read, and one of a character more is none', () => {
  const sized = (chars: number) => parseChallenge('Bearer scope="a"'.padEnd(chars, ' x')).scope;
  expect([sized(LIMITS.challengeCharsMax), sized(LIMITS.challengeCharsMax + 1)]).toEqual(['a', undefined]);
});

test('a parameter without a value is none, so the next one of its name counts', () => {
  expect([
    parseChallenge('Bearer scope=, scope="read"').scope,
    parseChallenge('Bearer scope="read", scope=').scope,
  ]).toEqual(['read', 'read']);
});
