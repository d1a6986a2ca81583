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

test('large lines of several concurrent sources stay separate and complete, and their memory is not shared afterwards', () => {
  const LARGE = 600_000;
  const kept: Buffer[][] = [[], []];
  const splitters = kept.map(
    (lines) =>
      new LineSplitter({
        lineBytesMax: 1_000_000,
        onLine: (line) => lines.push(line),
        onOversized: ({ head, tail }) => lines.push(Buffer.concat([head, tail])),
        onEndless: () => {},
        endlessBytes: 10_000_000,
      }),
  );
  const used = Buffer.alloc(50_000);
  const feed = (at: number, letter: string, bytes: number) => {
    for (let sent = 0; sent < bytes; sent += used.length) splitters[at]?.push(used.fill(letter));
  };
  for (const [first, second] of ['ab', 'cd'] as unknown as [string, string][]) {
    feed(0, first, LARGE / 2);
    feed(1, second, LARGE);
    feed(0, first, LARGE / 2);
    for (const splitter of splitters) splitter.push(Buffer.from('\n'));
  }
  feed(0, 'e', 2_000_000);
  splitters[0]?.push(Buffer.from('\n'));
  const line = (letter: string) => Buffer.alloc(LARGE, letter);
  expect(kept.map((lines) => lines.map((one) => `${one.toString('latin1', 0, 2)} ${one.length}`))).toEqual([
    [`aa ${LARGE}`, `cc ${LARGE}`, 'ee 1024'],
    [`bb ${LARGE}`, `dd ${LARGE}`],
  ]);
  expect([kept[0]?.[0]?.equals(line('a')), kept[1]?.[1]?.equals(line('d'))]).toEqual([true, true]);
});
