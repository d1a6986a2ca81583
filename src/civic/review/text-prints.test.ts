import fc from 'fast-check';
import { expect, test } from 'vitest';
import { piecesIn, piecesOf, printsOf, TextPrinter, withoutPrints } from './text-prints.ts';

const printer = new TextPrinter('a key');
const printed = (text: string, known = '', by = printer) => by.print([{ member: 'report', text }], known);
const has = (text: string, bytes: string | Buffer, known = '') => {
  const pieces = printed(text, known);
  return piecesIn(pieces, printer.findIn(Buffer.from(bytes), printsOf(pieces))).length > 0;
};

test('a text is found raw, as JSON has it, quoted twice, and cut at either end', () => {
  const text = 'Ask "Quirina" at the desk\nof the second floor, behind the glass door.';
  const json = JSON.stringify({ text });
  expect([
    has(text, `before ${text} after`),
    has(text, json),
    has(text, JSON.stringify({ json })),
    has(text, text.slice(5)),
    has(text, text.slice(0, -12)),
    has(text, 'Ask nobody at the other desk of the first floor.'),
    has('short', 'short'),
  ]).toEqual([true, true, true, true, true, false, false]);
});

test('text that was already public is not searched for', () => {
  const known = 'Bring the card to the desk on the ground floor before noon.';
  const text = 'Bring the card to the desk on the ground floor before noon. Ask for Quirina Zwaan.';
  expect([has(text, known, known), has(text, 'Ask for Quirina Zwaan.', known), printed(known, known)]).toEqual([
    false,
    true,
    [],
  ]);
});

test('another key makes other prints', () => {
  const [other] = printed('Ask for Quirina Zwaan.', '', new TextPrinter('another'));
  const [own] = printed('Ask for Quirina Zwaan.');
  expect([other, new TextPrinter('another').check]).not.toEqual([own, printer.check]);
});

test('prints are found exactly where a plain search finds their windows', () => {
  const letters = (minLength: number, maxLength: number) =>
    fc.string({ unit: fc.constantFrom('a', 'b', 'é', '"', '\n', ' '), minLength, maxLength });
  fc.assert(
    fc.property(letters(8, 70), letters(0, 40), fc.nat(20), (text, before, cut) => {
      const bytes = Buffer.from(before + text.slice(cut));
      const naive = [...new Set(piecesOf(text))].flatMap((piece) => {
        const own = Buffer.from(piece);
        const length = Math.min(own.length, 16);
        const starts = new Set([own.length - length]);
        for (let start = 0; start + length <= own.length; start += length) starts.add(start);
        return [...starts].map((start) => bytes.includes(own.subarray(start, start + length)));
      });
      const pieces = printed(text);
      const found = printer.findIn(bytes, printsOf(pieces));
      expect([found.size, printsOf(withoutPrints(pieces, found)).length]).toEqual([
        naive.filter(Boolean).length,
        naive.filter((one) => !one).length,
      ]);
    }),
    { numRuns: 300 },
  );
});
