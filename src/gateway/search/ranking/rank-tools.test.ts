import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { anyCatalogue, anyText, CATALOGUE, indexOf, tool } from '../testing/catalogue.ts';
import { rankTools, type Semantics } from './rank-tools.ts';

const index = indexOf(CATALOGUE);
const first = (...queries: string[]) => rankTools(index, queries).tools[0]?.tool.original_name;

describe('a tool is found', () => {
  test.each([
    ['by a part of its name', 'forecast', 'getForecast'],
    ['by another form of its words', 'translating a letter', 'translate_text'],
    ['by a synonym', 'a good movie with Tom Hanks', 'find_film'],
    ['by what a word implies', 'is it going to be rainy', 'getForecast'],
    ['by two words that are one in its server’s name', 'what is on hacker news', 'top_stories'],
    ['by one word that is two in its server’s name', 'hackernews', 'top_stories'],
    ['with a misspelt name', 'getForcast', 'getForecast'],
    ['in Chinese', '微博热搜', 'get_hot'],
    ['in Chinese by an English question', 'trending on weibo', 'get_hot'],
    ['in English by a Chinese question', '翻译', 'translate_text'],
    ['by the kind of a file that the task wants', 'a poem, please save it in /tmp/poem.md', 'write_file'],
  ])('%s: %j', (_, query, name) => {
    expect(first(query)).toBe(name);
  });
});

test('[gateway:F5] each query is served once before any is served twice', () => {
  const found = rankTools(index, ['weather in Rome', 'translate it', 'write it to a file']).tools.slice(0, 3);
  expect(found.map((one) => one.tool.original_name).sort()).toEqual(['getForecast', 'translate_text', 'write_file']);
});

test('further tools of a server rank below other needs of the task', () => {
  const charts = Array.from({ length: 12 }, (_, at) =>
    tool('charts', `make_chart_${at}`, 'Make a chart of weather data.'),
  );
  const found = rankTools(indexOf([...CATALOGUE, ...charts]), [
    'make a chart of the weather and save it in /tmp/a.md',
  ]).tools;
  expect(found.slice(0, 5).map((one) => one.tool.server)).toContain('files');
});

test('[gateway:F5] a server’s name restricts the search to its tools', () => {
  const found = rankTools(index, ['create list read'], { server: 'calendar' });
  expect([...new Set(found.tools.map((one) => one.tool.server))]).toEqual(['calendar']);
});

test('[gateway:F5] the ranking does not depend on the order of the servers, and its scores never increase', () => {
  fc.assert(
    fc.property(anyCatalogue, fc.array(anyText, { minLength: 1, maxLength: 3 }), (tools, queries) => {
      const ranking = rankTools(indexOf(tools), queries);
      expect(rankTools(indexOf(tools.toReversed()), queries)).toEqual(ranking);
      const scores = ranking.tools.map(({ score }) => score);
      expect(scores).toEqual(scores.toSorted((a, b) => b - a));
      expect(scores.every(Number.isInteger)).toBe(true);
    }),
    { numRuns: 150 },
  );
});

describe('with a model', () => {
  const semantics = (closest: string): Semantics => ({
    similarities: () => new Map(CATALOGUE.map(({ name }) => [name, name === closest ? 9_000 : 1_000])),
  });

  test('a tool that shares no word with the query is found', () => {
    const found = rankTools(index, ['xyzzy'], { semantics: semantics('stocks__ticker_history') });
    expect(found.tools[0]?.tool.name).toBe('stocks__ticker_history');
  });

  test('nothing is found if no word matches and no tool is close', () => {
    const far: Semantics = { similarities: () => new Map(CATALOGUE.map(({ name }, at) => [name, 1_000 + at])) };
    expect(rankTools(index, ['xyzzy'], { semantics: far }).tools).toEqual([]);
  });

  test('words and model are both weighed', () => {
    const found = rankTools(index, ['translate'], { semantics: semantics('stocks__ticker_history') });
    expect(found.tools.slice(0, 2).map((one) => one.tool.original_name)).toEqual(['ticker_history', 'translate_text']);
  });

  test('a tool without a vector is ranked by its words', () => {
    const partial: Semantics = { similarities: () => new Map([['files__read_file', 500]]) };
    expect(rankTools(index, ['translate'], { semantics: partial }).tools[0]?.tool.original_name).toBe('translate_text');
  });

  test('only the words count while there are no similarities', () => {
    expect(rankTools(index, ['translate'], { semantics: { similarities: () => undefined } })).toEqual(
      rankTools(index, ['translate']),
    );
  });
});
