import fc from 'fast-check';
import { expect, test } from 'vitest';
import { documentWords } from '../../context/search/search-terms.ts';
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
      expect(table.wordsOf(text).map(({ word }) => word)).toEqual(documentWords(text));
    }),
    { numRuns: 500 },
  );
});

test('a word is the same object every time', () => {
  const table = new WordTable();
  const [first, second] = table.wordsOf('Alpha alpha') as [object, object];
  expect(first).toBe(second);
});
