import fc from 'fast-check';
import { expect, test } from 'vitest';
import { LineSplitter } from './line-splitter.ts';

function split(chunks: readonly Buffer[], max = 20) {
  const lines: string[] = [];
  let tooLong = 0;
  const splitter = new LineSplitter(
    max,
    (line) => lines.push(line.toString()),
    () => tooLong++,
  );
  for (const chunk of chunks) splitter.push(chunk);
  return { lines, tooLong };
}

test('lines are those of a naive split, however the bytes are cut; long ones are dropped and counted', () => {
  const text = fc.array(fc.constantFrom('a', 'é', '\n', '\r\n', '{"a":"b"}', 'x'.repeat(21)), { maxLength: 30 });
  fc.assert(
    fc.property(text, fc.array(fc.nat(80)), (parts, cuts) => {
      const whole = Buffer.from(`${parts.join('')}\n`);
      const marks = [0, ...cuts.filter((cut) => cut < whole.length).sort((a, b) => a - b), whole.length];
      const chunks = marks.slice(1).map((end, index) => whole.subarray(marks[index], end));
      const all = whole.toString().split('\n').slice(0, -1);
      const fits = (line: string) => Buffer.byteLength(line) <= 20;
      expect(split(chunks)).toEqual({
        lines: all
          .filter(fits)
          .map((line) => line.replace(/\r$/, ''))
          .filter((line) => line !== ''),
        tooLong: all.filter((line) => !fits(line)).length,
      });
    }),
    { numRuns: 500 },
  );
});
