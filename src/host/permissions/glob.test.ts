import fc from 'fast-check';
import { expect, test } from 'vitest';
import { compileGlob } from './glob.ts';

/** The same as a regular expression, which may try every way to read a name. */
function byExpression(glob: string, name: string): boolean {
  const source = [...glob].map((unit) =>
    unit === '*' ? '[^/]*' : unit === '?' ? '[^/]' : unit.replace(/[\\^$.+()[\]{}|/]/, '\\$&'),
  );
  return new RegExp(`^${source.join('')}$`, 'su').test(name);
}

test('a glob matches what its regular expression matches', () => {
  const units = ['a', 'b', '/', '.', '😀', '\n', '\ud83d', '\ude00'];
  const texts = (...more: string[]) =>
    fc.array(fc.constantFrom(...units, ...more), { maxLength: 8 }).map((parts) => parts.join(''));
  fc.assert(
    fc.property(texts('*', '*', '?'), texts(), (glob, name) => {
      expect(compileGlob(glob)(name)).toBe(byExpression(glob, name));
    }),
    { numRuns: 3_000 },
  );
});

test('many stars are compared in one pass', () => {
  const glob = compileGlob(`${'*a'.repeat(100)}*b`);
  expect([glob('a'.repeat(20_000)), glob(`${'a'.repeat(20_000)}b`)]).toEqual([false, true]);
});
