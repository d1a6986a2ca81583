import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fieldsOf, type SearchableTool } from '../searchable-tool.ts';
import { anyCatalogue, anyText, CATALOGUE, indexOf, tool } from '../testing/catalogue.ts';
import { stem } from '../words/stem.ts';
import { termsOf } from '../words/terms.ts';
import { inverseDocumentFrequency } from './fixed-log.ts';
import { type QueryConcept, ToolIndex } from './tool-index.ts';

const concepts = (text: string): QueryConcept[] => [
  ...new Map(
    text
      .split(' ')
      .filter(Boolean)
      .map((word) => [word, { label: word, variants: [{ term: stem(word), weight: 16 }] }]),
  ).values(),
];

/** The same scores without postings or slots: every tool is read again for every query. */
function naiveScores(tools: readonly SearchableTool[], query: readonly QueryConcept[]): [string, number][] {
  const weight = (candidate: SearchableTool, term: string): number => {
    let sum = 0;
    for (const field of fieldsOf(candidate)) {
      const terms = termsOf(field.text, field.identifier);
      const each = Math.floor((field.weight * 64 * field.typicalWords) / (field.typicalWords + 3 * terms.length));
      sum += each * terms.filter((other) => other === term).length;
    }
    return Math.floor((1_024 * sum) / (sum + 640));
  };
  const scores = tools.map((candidate): [string, number] => {
    let sum = 0;
    for (const { variants } of query) {
      const best = variants.map(({ term, weight: share }) => {
        const frequency = tools.filter((other) => weight(other, term) > 0).length;
        return Math.floor(
          (weight(candidate, term) * inverseDocumentFrequency(tools.length, frequency) * share) / 4_096,
        );
      });
      sum += Math.max(0, ...best);
    }
    return [candidate.name, sum];
  });
  return scores.filter(([, score]) => score > 0).sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1));
}

const scoresOf = (index: ToolIndex, query: readonly QueryConcept[]) =>
  index.score(query, 1_000).hits.map(({ tool: { name }, score }): [string, number] => [name, score]);

test('[gateway:F5] scores equal those of a search that reads every tool', () => {
  fc.assert(
    fc.property(anyCatalogue, anyText, (tools, text) => {
      expect(scoresOf(indexOf(tools), concepts(text))).toEqual(naiveScores(tools, concepts(text)));
    }),
    { numRuns: 200 },
  );
});

test('an index that followed changes equals one built at once', () => {
  const changes = fc.array(fc.tuple(fc.constantFrom('a', 'b', 'c', 'd'), anyCatalogue), { maxLength: 8 });
  fc.assert(
    fc.property(changes, anyText, (steps, text) => {
      const followed = new ToolIndex();
      const current = new Map<string, SearchableTool[]>();
      for (const [server, tools] of steps) {
        const own = tools.map((one) => ({ ...one, server, name: `${server}__${one.original_name}` }));
        if (own.length === 0) followed.removeServer(server);
        else followed.replaceServer(server, own);
        current.set(server, own);
      }
      const fresh = indexOf([...current.values()].flat());
      expect(scoresOf(followed, concepts(text))).toEqual(scoresOf(fresh, concepts(text)));
      expect([followed.size, followed.servers(), followed.tools()]).toEqual([
        fresh.size,
        fresh.servers(),
        fresh.tools(),
      ]);
    }),
    { numRuns: 200 },
  );
});

test('many replacements neither grow the index nor lose tools', () => {
  const index = indexOf(CATALOGUE);
  for (let round = 0; round < 2_000; round += 1)
    index.replaceServer('files', [tool('files', `read_file_${round % 7}`, 'Read a file.')]);
  expect(scoresOf(index, concepts('read forecast'))).toEqual(
    scoresOf(
      indexOf([...CATALOGUE.filter(({ server }) => server !== 'files'), tool('files', 'read_file_4', 'Read a file.')]),
      concepts('read forecast'),
    ),
  );
});

test('only the best hits are returned, and all matches are counted', () => {
  const index = indexOf(CATALOGUE);
  const all = index.score(concepts('read file create list event'), 100);
  const few = index.score(concepts('read file create list event'), 2);
  expect(few).toEqual({ hits: all.hits.slice(0, 2), matched: all.hits.length });
});

test('a reason names the word, its main field and its contribution', () => {
  const index = indexOf(CATALOGUE);
  expect(
    index.explain('weather__getForecast', concepts('forecast rain'), 5).map(({ term, field }) => [term, field]),
  ).toEqual([
    ['forecast', 'name'],
    ['rain', 'description'],
  ]);
});

test('reasons add up to the score', () => {
  fc.assert(
    fc.property(anyCatalogue, anyText, (tools, text) => {
      const index = indexOf(tools);
      for (const { tool: found, score } of index.score(concepts(text), 1_000).hits) {
        const reasons = index.explain(found.name, concepts(text), 100);
        expect(reasons.reduce((sum, reason) => sum + reason.score, 0)).toBe(score);
      }
    }),
  );
});

test('a duplicate public name belongs to the later tool', () => {
  const index = new ToolIndex();
  index.replaceServer('a', [tool('a', 'x', 'first', { name: 'same' })]);
  index.replaceServer('b', [tool('b', 'x', 'second', { name: 'same' })]);
  expect([index.size, index.tool('same')?.description]).toEqual([1, 'second']);
});

test('a word in a third of a large catalogue is ignored', () => {
  const many = Array.from({ length: 2_500 }, (_, at) => tool('many', `common_${at}`, 'Something common.'));
  const index = indexOf([...many, tool('one', 'rare', 'Something common and rare.')]);
  expect(index.score(concepts('common rare'), 10).hits.map((hit) => hit.tool.name)).toEqual(['one__rare']);
  expect(index.explain('one__rare', concepts('common rare'), 10).map(({ term }) => term)).toEqual(['rare']);
});
