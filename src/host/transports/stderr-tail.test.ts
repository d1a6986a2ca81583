import fc from 'fast-check';
import { expect, test } from 'vitest';
import { StderrTail } from './stderr-tail.ts';

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
