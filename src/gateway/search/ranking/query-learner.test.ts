import { expect, test } from 'vitest';
import { SEARCH_LIMITS } from '../limits.ts';
import type { SearchableTool } from '../searchable-tool.ts';
import { CATALOGUE, indexOf } from '../testing/catalogue.ts';
import { type EndedCall, type LearnedCall, QueryLearner } from './query-learner.ts';
import { rankTools } from './rank-tools.ts';

const find = async (_profile: string, query: string) =>
  rankTools(indexOf(CATALOGUE), [query]).tools.map(({ tool }) => tool.name);
const search = (args: object, session?: string): EndedCall => ({
  kind: 'search',
  outcome: 'ok',
  caller: 'local',
  session,
  arguments: args,
});
const call = (name: string, more: Partial<EndedCall> = {}): EndedCall => {
  const [server, tool] = name.split('__');
  return { kind: 'call', outcome: 'ok', caller: 'local', server, tool, name, ...more };
};

async function learned(...calls: EndedCall[]): Promise<LearnedCall[]> {
  const learner = new QueryLearner(find);
  const all: LearnedCall[] = [];
  for (const one of calls) {
    const pair = await learner.learn(one);
    if (pair) all.push(pair);
  }
  return all;
}

test('a query is learnt for a tool that it found and that was called successfully', async () => {
  expect(await learned(search({ query: ' weather in Rome ' }), call('weather__getForecast'))).toEqual([
    { server: 'weather', tool: 'getForecast', query: 'weather in Rome' },
  ]);
});

test('of several queries, the one that ranks the tool highest is learnt', async () => {
  const plan = { queries: ['translate a text', 'write a file', 'read a file'] };
  expect(await learned(search(plan), call('files__read_file'), call('files__write_file'))).toEqual([
    { server: 'files', tool: 'read_file', query: 'read a file' },
    { server: 'files', tool: 'write_file', query: 'write a file' },
  ]);
});

test.each([
  ['a tool that the query does not find', [search({ query: 'weather' }), call('stocks__ticker_history')]],
  ['a call that failed', [search({ query: 'weather' }), call('weather__getForecast', { outcome: 'tool_error' })]],
  ['a call of another session', [search({ query: 'weather' }, 'a'), call('weather__getForecast', { session: 'b' })]],
  ['a call of another caller', [search({ query: 'weather' }), call('weather__getForecast', { caller: 'key:1' })]],
  ['a call before any search', [call('weather__getForecast'), search({ query: 'weather' })]],
  [
    'a search before the last one',
    [search({ query: 'weather' }), search({ query: 'film' }), call('weather__getForecast')],
  ],
  ['a search without words', [search({ query: '  ' }), call('weather__getForecast')]],
])('nothing is learnt from %s', async (_, calls) => {
  expect(await learned(...(calls as EndedCall[]))).toEqual([]);
});

test('of many conversations, those with the oldest search are evicted', async () => {
  const many = Array.from({ length: SEARCH_LIMITS.learnedConversationsMax }, (_, at) =>
    search({ query: 'x' }, `${at}`),
  );
  const first = search({ query: 'weather' }, 'first');
  const used = call('weather__getForecast', { session: 'first' });
  expect([await learned(first, ...many, used), (await learned(...many, first, used)).length]).toEqual([[], 1]);
});

test('learnt queries help: recall rises on questions like them', async () => {
  const taught = [
    ['my portfolio went down, show me what happened to Acme', 'stocks__ticker_history'],
    ['put lunch with Ada on Tuesday', 'calendar__create_event'],
    ['what is on my plate tomorrow', 'calendar__list_events'],
    ['something to watch tonight with a robot in it', 'movies__find_film'],
  ] as const;
  const asked = [
    ['portfolio of Acme went down', 'stocks__ticker_history'],
    ['lunch with Bob on Friday', 'calendar__create_event'],
    ['my plate on Monday', 'calendar__list_events'],
    ['watch a robot tonight', 'movies__find_film'],
  ] as const;
  const recall = (tools: readonly SearchableTool[]) =>
    asked.filter(([query, name]) => rankTools(indexOf(tools), [query]).tools[0]?.tool.name === name).length;
  // Here every query finds every tool, and an agent that knows better calls the right one.
  const learner = new QueryLearner(async () => CATALOGUE.map(({ name }) => name));
  const queries = new Map<string, string[]>();
  for (const [query, name] of taught) {
    await learner.learn(search({ query }));
    const pair = await learner.learn(call(name));
    if (pair) queries.set(name, [pair.query]);
  }
  const after = CATALOGUE.map((tool) => ({ ...tool, learnedQueries: queries.get(tool.name) }));
  expect([recall(CATALOGUE) < asked.length - 1, recall(after)]).toEqual([true, asked.length]);
});
