import canonicalize from 'canonicalize';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { canonicalJson, isInOrder } from './canonical-json.ts';

test('equals the output of the reference library, for any JSON [gateway:U4]', () => {
  fc.assert(
    fc.property(fc.jsonValue({ noUnicodeString: false }), (value) => {
      const wellFormed = JSON.parse(JSON.stringify(value).toWellFormed()) as unknown;
      if (JSON.stringify(wellFormed).includes('\\ud')) return;
      expect(canonicalJson(wellFormed)).toBe(canonicalize(wellFormed));
    }),
    { numRuns: 2_000 },
  );
});

test('omits undefined members, and escapes a lone surrogate', () => {
  expect(canonicalJson({ b: undefined, a: ['\ud800', undefined] })).toBe('{"a":["\\ud800",null]}');
});

test('a value is in order exactly if JSON.stringify gives the canonical text', () => {
  const member = fc.constantFrom('', 'a', 'b', 'B', '1', '10', '9', 'é', '😀', '\uffff', 'toJSON');
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { depthSize: 'small' },
      fc.constantFrom(1, 'text', null, true),
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(member, tie('value'), { maxKeys: 4 }),
    ),
  }));
  fc.assert(
    fc.property(value, (given) => {
      expect(isInOrder(given)).toBe(JSON.stringify(given) === canonicalize(given));
    }),
    { numRuns: 2_000 },
  );
});
