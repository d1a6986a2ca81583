import fc from 'fast-check';
import { expect, test } from 'vitest';
import { commonIn } from '../../context/search/languages.ts';
import { documentWords } from '../../context/search/search-terms.ts';
import { NumberList } from './number-list.ts';
import { WordTable } from './word-table.ts';

test('words are those of the document, whichever way they are looked up', () => {
  const table = new WordTable();
  const anyPart = fc.constantFrom(
    'Alpha',
    'beta',
    'x'.repeat(99),
    'Y'.repeat(250),
    '9',
    '\u00e9t\u00e9',
    '\u212a',
    '\u6f22\u5b57',
    ' ',
    '-',
    '\n',
  );
  fc.assert(
    fc.property(fc.array(anyPart, { maxLength: 12 }), (parts) => {
      const text = parts.join('');
      expect(wordsOf(table, text).map((word) => table.text(word))).toEqual(documentWords(text));
    }),
    { numRuns: 500 },
  );
});

test('a word has the same number every time, in ASCII or beside other letters, and knows its languages', () => {
  const table = new WordTable();
  const [alpha, ...others] = wordsOf(table, 'Alpha alpha');
  expect([...others, ...wordsOf(table, 'alpha é')]).toEqual([alpha, alpha, expect.any(Number)]);
  const [the, de] = wordsOf(table, 'the de') as [number, number];
  expect([the, de, alpha as number].map((word) => table.common(word))).toEqual([commonIn('the'), commonIn('de'), 0]);
});

function wordsOf(table: WordTable, text: string): number[] {
  const list = new NumberList();
  table.addWords(text, list);
  return [...list.take()];
}
