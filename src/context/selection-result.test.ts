import fc from 'fast-check';
import { expect, test } from 'vitest';
import { encodeSelection, encodeSelectionPretty, type SelectionResult } from './selection-result.ts';
import { anyText, propertyRuns } from './testing/arbitraries.ts';

const anyResult: fc.Arbitrary<SelectionResult> = fc.record({
  documents: fc.array(
    fc.record({
      id: anyText,
      version: anyText,
      content: fc.oneof(anyText, fc.constant('\u2028      "score": 7,')),
      score: fc.constantFrom(0, 0.5, 1),
      tokens: fc.nat(),
      why: fc.record({
        query_terms: fc.array(anyText, { maxLength: 3 }),
        term_matches: fc.nat(),
        total_words: fc.nat(),
      }),
    }),
    { maxLength: 3 },
  ),
  selection: fc.record({
    query: anyText,
    budget: fc.nat(),
    tokens_used: fc.nat(),
    documents_considered: fc.nat(),
    documents_selected: fc.nat(),
    documents_excluded_by_budget: fc.nat(),
  }),
});

test('[context:O1] [context:O2] both layouts hold the same value, and scores always have a fraction', () => {
  fc.assert(
    fc.property(anyResult, (result) => {
      const compact = encodeSelection(result);
      expect(JSON.parse(compact)).toEqual(result);
      expect(compact).toBe(
        `${JSON.stringify(result).replaceAll(/"score":([01]),"tokens"/g, '"score":$1.0,"tokens"')}\n`,
      );
      const pretty = encodeSelectionPretty(result);
      expect(JSON.parse(pretty)).toEqual(result);
      expect(pretty.split('\n').length).toBe(JSON.stringify(result, null, 2).split('\n').length + 1);
    }),
    { numRuns: propertyRuns },
  );
});

test('[context:O2] pretty is indented by two spaces, with empty lists in one piece', () => {
  const selection = {
    query: '',
    budget: 9,
    tokens_used: 1,
    documents_considered: 1,
    documents_selected: 1,
    documents_excluded_by_budget: 0,
  };
  const document = {
    id: 'a',
    version: 'v',
    content: 'c',
    score: 1,
    tokens: 1,
    why: { query_terms: [], term_matches: 0, total_words: 1 },
  };
  expect(encodeSelectionPretty({ documents: [document], selection })).toBe(`{
  "documents": [
    {
      "id": "a",
      "version": "v",
      "content": "c",
      "score": 1.0,
      "tokens": 1,
      "why": {
        "query_terms": [],
        "term_matches": 0,
        "total_words": 1
      }
    }
  ],
  "selection": {
    "query": "",
    "budget": 9,
    "tokens_used": 1,
    "documents_considered": 1,
    "documents_selected": 1,
    "documents_excluded_by_budget": 0
  }
}
`);
});
