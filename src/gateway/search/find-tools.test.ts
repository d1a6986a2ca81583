import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type FoundTools, findTools, foundToolsText } from './find-tools.ts';
import { SEARCH_LIMITS } from './limits.ts';
import { anyCatalogue, anyText, CATALOGUE, indexOf, tool } from './testing/catalogue.ts';
import { type CountTokens, countTokens } from './words/tokens.ts';

const index = indexOf(CATALOGUE);
const names = (found: FoundTools) => found.tools.map(({ name }) => name);
const codeOf = (run: () => unknown): unknown => {
  try {
    return run();
  } catch (error) {
    return (error as { code?: unknown }).code;
  }
};

test('[gateway:F5] the answer has exactly the agreed members, in their order', () => {
  const found = findTools(index, { query: 'weather forecast', limit: 1 }, countTokens, { missing: ['late'] });
  expect(JSON.parse(foundToolsText(found))).toEqual({
    tools: [
      {
        name: 'weather__getForecast',
        server: 'weather',
        description: 'Weather forecast for a city: temperature, rain and wind.',
        input_schema: {
          type: 'object',
          properties: { city: { type: 'string' }, days: { type: 'integer' } },
          required: ['city'],
        },
        score: expect.any(Number),
        reasons: [
          { term: 'forecast', field: 'name', score: expect.any(Number) },
          { term: 'weather', field: 'server', score: expect.any(Number) },
          { term: 'city', field: 'description', score: expect.any(Number) },
        ],
      },
    ],
    matched: expect.any(Number),
    omitted: found.matched - 1,
    budget: { limit: 2_000, used: countTokens(foundToolsText(found)) },
    missing: ['late'],
  });
  expect(Object.keys(found)).toEqual(['tools', 'matched', 'omitted', 'budget', 'missing']);
});

test('[gateway:F5] an answer without matches says so and names the servers', () => {
  const found = findTools(index, { query: 'qqqq' }, countTokens, { missing: ['late'] });
  expect(found).toEqual({
    tools: [],
    matched: 0,
    omitted: 0,
    budget: { limit: 2_000, used: countTokens(foundToolsText(found)) },
    servers: ['calendar', 'cn', 'files', 'hackernews', 'movies', 'stocks', 'translate', 'weather'],
    missing: ['late'],
  });
});

describe('[gateway:F5] arguments that do not fit are refused', () => {
  test.each([
    ['neither query nor queries', {}],
    ['both query and queries', { query: 'a', queries: ['b'] }],
    ['no queries', { queries: [] }],
    ['a query that is no text', { query: 7 as unknown as string }],
    ['queries that are no list', { queries: 'a' as unknown as string[] }],
    ['too many queries', { queries: Array.from({ length: SEARCH_LIMITS.queriesMax + 1 }, () => 'a') }],
    ['a budget below the least', { query: 'a', budget: SEARCH_LIMITS.budgetTokensMin - 1 }],
    ['a broken budget', { query: 'a', budget: 1000.5 }],
    ['a limit of none', { query: 'a', limit: 0 }],
  ])('%s', (_, input) => {
    expect(codeOf(() => findTools(index, input, countTokens))).toBe('INVALID_ARGUMENTS');
  });
});

const byCharacters: CountTokens = (text) => Math.ceil(text.length / 4);
const anyBudget = fc.integer({ min: SEARCH_LIMITS.budgetTokensMin, max: 3_000 });
const anyQueries = fc.array(anyText, { minLength: 1, maxLength: 3 });
const anyMissing = fc.array(fc.constantFrom('one', 'two', 'a-server-with-a-long-name'), { maxLength: 200 });

test.each([
  ['o200k tokens', countTokens, 40],
  ['a simple count', byCharacters, 200],
])('[gateway:F5] an answer costs what it says and never more than its budget, by %s', (_, count, numRuns) => {
  fc.assert(
    fc.property(anyCatalogue, anyQueries, anyBudget, anyMissing, (tools, queries, budget, missing) => {
      const found = findTools(indexOf(tools), { queries, budget, limit: 50 }, count, { missing });
      expect(found.budget).toEqual({ limit: budget, used: count(foundToolsText(found)) });
      expect(found.budget.used).toBeLessThanOrEqual(budget);
      expect(found.omitted).toBe(found.matched - found.tools.length);
    }),
    { numRuns },
  );
});

test('[gateway:F5] a larger budget gives the same tools in the same order, and possibly more', () => {
  fc.assert(
    fc.property(anyCatalogue, anyQueries, anyBudget, anyBudget, (tools, queries, one, other) => {
      const found = (budget: number) => names(findTools(indexOf(tools), { queries, budget }, byCharacters));
      const less = found(Math.min(one, other));
      expect(found(Math.max(one, other)).slice(0, less.length)).toEqual(less);
    }),
    { numRuns: 200 },
  );
});

test('[gateway:F5] the same catalogue gives the same bytes, in any order', () => {
  fc.assert(
    fc.property(anyCatalogue, anyQueries, (tools, queries) => {
      const text = (catalogue: typeof tools) =>
        foundToolsText(findTools(indexOf(catalogue), { queries }, byCharacters));
      expect(text(tools.toReversed())).toBe(text(tools));
    }),
    { numRuns: 150 },
  );
});

test('a tool with an enormous schema comes last and displaces nothing', () => {
  const properties = Object.fromEntries(
    Array.from({ length: 300 }, (_, at) => [`forecast_${at}`, { type: 'string', description: 'Weather forecast' }]),
  );
  const huge = tool('big', 'weather_forecast', 'Weather forecast', { input_schema: { type: 'object', properties } });
  const catalogue = indexOf([...CATALOGUE, huge]);
  expect(names(findTools(catalogue, { query: 'weather forecast' }, countTokens))).toContain('weather__getForecast');
  const all = names(findTools(catalogue, { query: 'weather forecast', budget: 20_000 }, countTokens));
  expect([all[0], all.at(-1)]).toEqual(['weather__getForecast', 'big__weather_forecast']);
});
