import { expect, test } from 'vitest';
import { refuseTarget } from './typed-target.ts';

test('an address and a command at once are refused with both ways to write it', () => {
  expect(() => refuseTarget({ words: ['z', 'https://a.example/mcp', 'node', 'x.js'], behindDashes: 2 })).toThrow(
    expect.objectContaining({
      code: 'USAGE',
      next: 'Write: `bindery mcp add z https://a.example/mcp`, or `bindery mcp add z -- node x.js`.',
    }),
  );
});
