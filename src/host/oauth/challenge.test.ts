import fc from 'fast-check';
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
  ['Bearer "no value, scope=no", error="yes"', { ...bearer, error: 'yes' }],
  ['Negotiate abc==, DPoP scope = "a"', { ...bearer, scope: 'a' }],
])('%s', (header, expected) => {
  expect(parseChallenge(header)).toEqual(expected);
});

test('a challenge of the maximum length is parsed, and one that is a character longer is ignored', () => {
  const sized = (chars: number) => parseChallenge('Bearer scope="a"'.padEnd(chars, ' x')).scope;
  expect([sized(LIMITS.challengeCharsMax), sized(LIMITS.challengeCharsMax + 1)]).toEqual(['a', undefined]);
});

test('a parameter without a value is skipped, so that the next one of its name counts', () => {
  expect([
    parseChallenge('Bearer scope=, scope="read"').scope,
    parseChallenge('Bearer scope="read", scope=').scope,
  ]).toEqual(['read', 'read']);
});

test('of any schemes and parameters in any spelling, only the first value of each of ours is read', () => {
  const value = fc.string({ unit: fc.constantFrom('a', 'b', ' ', ',', '"', '\\', '='), maxLength: 5 });
  const parameter = fc.record({
    name: fc.constantFrom('scope', 'error', 'resource_metadata', 'realm', 'SCOPE'),
    value,
    isQuoted: fc.boolean(),
    equals: fc.constantFrom('=', ' = ', '= '),
  });
  const scheme = fc.record({
    name: fc.constantFrom('Bearer', 'bearer', 'DPoP', 'Basic', 'Negotiate'),
    parameters: fc.array(parameter, { maxLength: 3 }),
  });
  fc.assert(
    fc.property(fc.array(scheme, { maxLength: 3 }), fc.constantFrom(', ', ',', ' , '), (schemes, comma) => {
      const found = new Map<string, string>();
      const written = schemes.map(({ name, parameters }) => {
        const isOurs = ['bearer', 'dpop'].includes(name.toLowerCase());
        const parts = parameters.map(({ name: key, value: text, isQuoted, equals }) => {
          const plain = text.replace(/[\s,"]/g, '');
          const meant = isQuoted ? text : plain;
          const isThere = isQuoted || plain !== '';
          if (isOurs && isThere && !found.has(key.toLowerCase())) found.set(key.toLowerCase(), meant);
          const shown = isQuoted ? `"${text.replace(/["\\]/g, '\\$&')}"` : plain;
          return `${key}${isThere ? equals : '='}${shown}`;
        });
        return `${name} ${parts.join(comma)}`;
      });
      expect(parseChallenge(written.join(', '))).toEqual({
        asksForToken: schemes.some(({ name }) => ['bearer', 'dpop'].includes(name.toLowerCase())),
        resourceMetadata: found.get('resource_metadata'),
        scope: found.get('scope'),
        error: found.get('error'),
      });
    }),
    { numRuns: 2_000 },
  );
});
