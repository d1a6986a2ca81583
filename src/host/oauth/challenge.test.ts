import { expect, test } from 'vitest';
import { parseChallenge } from './challenge.ts';

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
])('%s', (header, expected) => {
  expect(parseChallenge(header)).toEqual(expected);
});
