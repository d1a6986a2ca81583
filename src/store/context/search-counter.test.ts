import fc from 'fast-check';
import { expect, test } from 'vitest';
import { SEARCH } from '../../context/search/search-settings.ts';
import { SearchCounter } from './search-counter.ts';
import { TermCounter } from './term-counter.ts';

test('a document is counted alike by the terms of the postings and by its bytes, even if a chunk ends within a term', () => {
  const anyPart = fc.constantFrom(
    'Alpha',
    'beta-gamma,',
    '...',
    ' ',
    '\n',
    '\n\n',
    '\n# One two\n',
    'été ',
    'word. '.repeat(SEARCH.unbrokenCharactersMax / 4),
    'x'.repeat(SEARCH.unbrokenCharactersMax + 50),
    'a.b'.repeat(SEARCH.chunkCharactersMax),
  );
  const anyDocuments = fc.array(fc.array(anyPart, { maxLength: 8 }), { maxLength: 5 });
  fc.assert(
    fc.property(anyDocuments, (documents) => {
      const terms = new TermCounter();
      const [byTerms, byBytes] = [new SearchCounter(), new SearchCounter()];
      documents.forEach((parts, index) => {
        const content = parts.join('');
        const bytes = Buffer.from(content);
        byTerms.add(`${index}.md`, content, bytes, terms.add(content, bytes));
        byBytes.add(`${index}.md`, content, bytes);
      });
      expect(byTerms.take()).toEqual(byBytes.take());
    }),
    { numRuns: 200 },
  );
});
