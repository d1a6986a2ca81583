import { expect, test } from 'vitest';
import { NO_CHALLENGE, parseChallenge } from './challenge.ts';

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
])('%s', (header, expected) => {
  expect(parseChallenge(header)).toEqual(expected);
});
