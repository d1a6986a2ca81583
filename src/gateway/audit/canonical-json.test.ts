import canonicalize from 'canonicalize';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { canonicalJson } from './canonical-json.ts';

test('is what the reference library writes, for any JSON [gateway:U4]', () => {
  fc.assert(
    fc.property(fc.jsonValue({ noUnicodeString: false }), (value) => {
      const wellFormed = JSON.parse(JSON.stringify(value).toWellFormed()) as unknown;
      if (JSON.stringify(wellFormed).includes('\\ud')) return;
      expect(canonicalJson(wellFormed)).toBe(canonicalize(wellFormed));
    }),
    { numRuns: 2_000 },
  );
});

test('leaves out what is undefined, and writes a lone surrogate as its escape', () => {
  expect(canonicalJson({ b: undefined, a: ['\ud800', undefined] })).toBe('{"a":["\\ud800",null]}');
});
