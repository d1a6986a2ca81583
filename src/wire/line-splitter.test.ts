import fc from 'fast-check';
import { expect, test } from 'vitest';
import { LineSplitter } from './line-splitter.ts';

function split(chunks: readonly Buffer[], lineBytesMax = 20, endlessBytes = 1_000_000) {
  const lines: string[] = [];
  const oversized: string[] = [];
  let endless = 0;
  const splitter = new LineSplitter({
    lineBytesMax,
    onLine: (line) => lines.push(line.toString()),
    onOversized: ({ head, tail }) => oversized.push(`${head}…${tail}`),
    onEndless: () => endless++,
    endlessBytes,
  });
  for (const chunk of chunks) splitter.push(chunk);
  return { lines, oversized, endless };
}

function cut(whole: Buffer, cuts: readonly number[]): Buffer[] {
  const marks = [0, ...cuts.filter((at) => at < whole.length).sort((a, b) => a - b), whole.length];
  return marks.slice(1).map((end, index) => whole.subarray(marks[index], end));
}

test('lines are those of a naive split, however the bytes are cut; long ones are dropped but for their ends', () => {
  const parts = fc.array(fc.constantFrom('a', 'b', '\n', '\r\n', '{"a":"b"}', 'x'.repeat(21), 'y'.repeat(600)), {
    maxLength: 30,
  });
  fc.assert(
    fc.property(parts, fc.array(fc.nat(2000)), (texts, cuts) => {
      const whole = `${texts.join('')}\n`;
      const all = whole.split('\n').slice(0, -1);
      const fits = (line: string) => line.length <= 20;
      expect(split(cut(Buffer.from(whole), cuts))).toEqual({
        lines: all
          .filter(fits)
          .map((line) => line.replace(/\r$/, ''))
          .filter((line) => line !== ''),
        oversized: all.filter((line) => !fits(line)).map((line) => `${line.slice(0, 512)}…${line.slice(-512)}`),
        endless: 0,
      });
    }),
    { numRuns: 500 },
  );
});

test('a line without end is reported once', () => {
  expect(split(Array(10).fill(Buffer.alloc(30, 'x')), 20, 100)).toEqual({ lines: [], oversized: [], endless: 1 });
});
