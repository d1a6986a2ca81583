import fc from 'fast-check';
import { expect, test } from 'vitest';
import { LineReader, type UnreadLine } from './line-reader.ts';

function readInChunks(bytes: Uint8Array, sizes: readonly number[], bytesMax = 1000): (string | UnreadLine)[] {
  const lines: (string | UnreadLine)[] = [];
  const reader = new LineReader(bytesMax, (line) => lines.push(line));
  let start = 0;
  for (const size of sizes) {
    reader.push(bytes.subarray(start, start + size));
    start += size;
  }
  reader.push(bytes.subarray(start));
  reader.end();
  return lines;
}

test('lines are the same however their bytes arrive', () => {
  fc.assert(
    fc.property(
      fc.array(fc.string({ unit: 'grapheme' }).map((text) => text.replaceAll('\n', ''))),
      fc.array(fc.nat(9)),
      (lines, sizes) => {
        const bytes = Buffer.from(lines.map((line) => `${line}\n`).join(''));
        expect(readInChunks(bytes, sizes)).toEqual(lines);
      },
    ),
  );
});

test('[context:M1] the newline counts, longer lines are reported once, and the next line is read again', () => {
  const bytes = Buffer.from('1234567\n12345678\n123456789012345678901234\nlast');
  for (const sizes of [[], [3, 3, 3, 3, 3, 3], [25]]) {
    expect(readInChunks(bytes, sizes, 8)).toEqual(['1234567', { id: null }, { id: null }, 'last']);
  }
});

test('[context:M1] bytes that are not UTF-8 are reported, and a byte order mark stays', () => {
  expect(readInChunks(Uint8Array.of(0x61, 0xff, 0x0a, 0xef, 0xbb, 0xbf, 0x0a), [1])).toEqual([{ id: null }, '\ufeff']);
});

test('[context:M1] a line that is too long is reported with its id, at any position and in any chunks', () => {
  const long = 'x'.repeat(2_000);
  const lines: [object, unknown][] = [
    [{ jsonrpc: '2.0', id: 7, method: 'm', params: { id: 8, text: long } }, 7],
    [
      { method: 'm', params: { text: `","id":9,"${long}`, list: [{ id: 1 }, [2]] }, jsonrpc: '2.0', id: 'a"b\\' },
      'a"b\\',
    ],
    [{ params: { id: 3, text: long }, method: 'id' }, null],
    [{ id: long }, null],
    [{ id: { id: 4 }, text: long }, null],
    [[{ id: 5, text: long }], null],
    [{ id: null, text: long }, null],
  ];
  for (const [message, id] of lines) {
    const bytes = Buffer.from(`${JSON.stringify(message)}\nok\n`);
    for (const sizes of [[], Array(400).fill(7)]) expect(readInChunks(bytes, sizes)).toEqual([{ id }, 'ok']);
  }
});
