import fc from 'fast-check';
import { expect, test } from 'vitest';
import { lastWords, StderrTail } from './stderr-tail.ts';

test('the tail is the end of the stream, from the first complete line on', () => {
  fc.assert(
    fc.property(fc.array(fc.stringMatching(/^[ab\n]{0,12}$/)), (chunks) => {
      const tail = new StderrTail(20);
      for (const chunk of chunks) tail.push(Buffer.from(chunk));
      const all = chunks.join('');
      const cut = all.slice(-20);
      const line = cut.indexOf('\n');
      const whole = all.length <= 20 || line < 0 || line === cut.length - 1 ? cut : cut.slice(line + 1);
      expect(tail.text()).toBe(whole);
    }),
    { numRuns: 500 },
  );
});

test('of a stack trace the error stays, and the places in the code go', () => {
  const node =
    "node:internal/loader:1\n  throw err;\n  ^\n\nError: Cannot find module '/x.js'\n    at Module._load (a:1:2)\n    at main:3 {\n  code: 'X'\n}\n";
  const python =
    'Traceback (most recent call last):\n  File "s.py", line 3, in <module>\n    import mcp\nModuleNotFoundError: No module named mcp\n';
  expect([lastWords(node), lastWords(python)]).toEqual([
    "node:internal/loader:1\n  throw err;\n  ^\nError: Cannot find module '/x.js'\n  code: 'X'\n}",
    'Traceback (most recent call last):\nModuleNotFoundError: No module named mcp',
  ]);
});

test('other lines stay as they are, the last twenty of them', () => {
  const lines = Array.from({ length: 25 }, (_, at) => `    line ${at}`);
  expect([lastWords(lines.join('\n')), lastWords('  at\n'), lastWords('')]).toEqual([
    lines.slice(5).join('\n'),
    'at',
    '',
  ]);
});
