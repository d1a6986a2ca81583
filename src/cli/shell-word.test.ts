import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { shellWord } from './shell-word.ts';

test('whatever a value holds, a shell reads it as one word', () => {
  const piece = fc.constantFrom("'", '"', '$(id)', '`id`', ' ', '\n', '\\', ';', '*', '~', 'a', '{"cache":"it\'s"}');
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
      const value = pieces.join('');
      const read = execFileSync('/bin/sh', ['-c', `printf '%s|' ${shellWord(value)}`], { encoding: 'utf8' });
      expect(read).toBe(`${value}|`);
    }),
    { numRuns: 50 },
  );
  expect(shellWord('http://a.example/x_y')).toBe('http://a.example/x_y');
});
