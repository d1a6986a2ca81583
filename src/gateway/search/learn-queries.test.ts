import { expect, test } from 'vitest';
import { learnQueries } from './learn-queries.ts';
import { SEARCH_LIMITS } from './limits.ts';
import { rankTools } from './rank-tools.ts';
import { CATALOGUE, indexOf } from './testing/catalogue.ts';

test('the past queries of a tool are distinct, newest first, and bounded', () => {
  const calls = [
    ...Array.from({ length: 30 }, (_, at) => ({ query: `query ${at}`, tool: 'a' })),
    { query: ' query 29 ', tool: 'a' },
    { query: '', tool: 'b' },
  ];
  const learned = learnQueries(calls);
  expect([[...learned.keys()], learned.get('a')]).toEqual([
    ['a'],
    Array.from({ length: SEARCH_LIMITS.learnedQueriesPerToolMax }, (_, at) => `query ${29 - at}`),
  ]);
});

test('a tool is found by words that led to it before', () => {
  const learned = learnQueries([{ query: 'how are my gizmos doing', tool: 'stocks__ticker_history' }]);
  const tools = CATALOGUE.map((one) => ({ ...one, learnedQueries: learned.get(one.name) }));
  const found = rankTools(indexOf(tools), ['gizmos']);
  expect([rankTools(indexOf(CATALOGUE), ['gizmos']).tools.length, found.tools[0]?.tool.name]).toEqual([
    0,
    'stocks__ticker_history',
  ]);
});
