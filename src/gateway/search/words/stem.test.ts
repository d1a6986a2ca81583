import { expect, test } from 'vitest';
import { stem } from './stem.ts';

test.each([
  ['translate', 'translates', 'translated', 'translating', 'translation', 'translator'],
  ['calculate', 'calculator', 'calculation', 'calculating'],
  ['query', 'queries'],
  ['search', 'searches', 'searching', 'searcher'],
  ['recommend', 'recommends', 'recommendation', 'recommended'],
  ['analyze', 'analysis', 'analyses', 'analysing', 'analytics'],
  ['plan', 'plans', 'planning', 'planned', 'planner'],
  ['convert', 'converter', 'conversion'],
  ['write', 'writes', 'writing', 'wrote', 'written', 'writer'],
])('the forms of %s have one stem', (...forms) => {
  expect(new Set(forms.map(stem)).size).toBe(1);
});

test.each([
  ['news', 'new'],
  ['station', 'state'],
  ['data', 'date'],
  ['comment', 'come'],
  ['paper', 'pap'],
])('%s and %s stay apart', (a, b) => {
  expect(stem(a)).not.toBe(stem(b));
});

test('short words, numbers and other scripts are unchanged', () => {
  expect(['css', '36', '天气', 'mp3', 'été'].map(stem)).toEqual(['css', '36', '天气', 'mp3', 'été']);
});
