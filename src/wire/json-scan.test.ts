import fc from 'fast-check';
import { expect, test } from 'vitest';
import { stringEnd } from './json-scan.ts';

/** Texts of which some are long, full of quotes, full of escapes, or neither. */
const text = fc
  .array(
    fc.oneof(
      fc.string({ unit: fc.constantFrom('"', '\\', 'x', '\n'), maxLength: 40 }),
      fc.constantFrom('x'.repeat(47), 'x'.repeat(48), 'x'.repeat(200), '\\'.repeat(49), '\\'.repeat(96)),
      fc.string({ unit: 'grapheme', maxLength: 20 }),
    ),
    { maxLength: 8 },
  )
  .map((parts) => parts.join(''));

test('a string ends at the first quote that no backslash escapes, however far it is', () => {
  fc.assert(
    fc.property(text, text, (before, given) => {
      const prefix = Buffer.from(JSON.stringify(before));
      const string = Buffer.from(JSON.stringify(given));
      const whole = Buffer.concat([prefix, Buffer.from(':'), string, Buffer.from(',"more"')]);
      const start = prefix.length + 1;
      expect(stringEnd(whole, start)).toBe(start + string.length);
    }),
    { numRuns: 3_000 },
  );
});

test('a string that is cut anywhere has no end', () => {
  fc.assert(
    fc.property(text, fc.nat(), (given, cut) => {
      const string = Buffer.from(JSON.stringify(given));
      expect(stringEnd(string.subarray(0, cut % string.length), 0)).toBe(-1);
    }),
    { numRuns: 3_000 },
  );
});
