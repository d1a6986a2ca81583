import { expect, test } from 'vitest';
import { SEARCH_LIMITS } from '../limits.ts';
import { allImpliedQueries, impliedQueries, withoutAddresses } from './intents.ts';

test.each([
  ['Summarise the talk and save it to /tmp/out/talk.md', ['write file contents']],
  ['What does line 10 of /tmp/big.txt say?', ['read text file contents', 'get text file contents by line range']],
  ['Read the numbers in sales.xlsx', ['read data from excel sheet']],
  ['Is shop-0nline.com a fake shop?', ['whois domain lookup']],
  ['Merge a.pdf and b.pdf', ['merge pdf files']],
  ['Will I need an umbrella in Oslo?', ['get weather by city']],
  ['Sing a song', []],
])('%j implies %j', (query, implied) => {
  expect(impliedQueries(query).map((one) => one.query)).toEqual(implied);
});

test('a fallback applies only if hardly any other rule does', () => {
  const queries = (text: string) => impliedQueries(text).map((one) => one.query);
  expect(queries('Look up the capital of Peru')).toEqual(['web search']);
  expect(queries('Look up the weather for the chess match in Lima')).not.toContain('web search');
});

test('each rule contributes its most important sub-query before any contributes its second', () => {
  expect(impliedQueries('Draft a word document on chess').slice(0, 3)).toEqual([
    { query: 'create word document', place: 0 },
    { query: 'new chess game', place: 0 },
    { query: 'add paragraph to word document', place: 1 },
  ]);
});

test('the number of implied needs is limited', () => {
  const everything = allImpliedQueries().join(', ');
  expect(impliedQueries(`create ${everything} in a.md b.xlsx c.docx d.pptx`)).toHaveLength(SEARCH_LIMITS.intentsMax);
});

test('paths and URLs are left out of the compared text', () => {
  expect(
    withoutAddresses(
      'Read /var/log/apple.txt and https://example.org/news/stock?x=1 or ~/notes and C:\\data\\x.csv, 1/2 and/or',
    ).split(/\s+/),
  ).toEqual(['Read', 'and', 'or', 'and', ',', '1/2', 'and/or']);
});
