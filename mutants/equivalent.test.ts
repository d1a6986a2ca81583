import { expect, test } from 'vitest';
import { EQUIVALENT, equivalenceOf, staleEquivalents } from './equivalent.ts';
import { findMutants } from './operators.ts';

test('an entry excludes the fault of its own line and no other', () => {
  const text = 'const a = x === 1;\nconst b = x === 1;\nconst c = y === 1;';
  const known = [{ file: 'a.ts', operator: 'comparison', line: 'const b = x === 1;', to: 'x !== 1', reason: 'same' }];
  const excluded = findMutants('a.ts', text).filter((mutant) => equivalenceOf(mutant, text, known) !== undefined);
  expect(excluded.map(({ line, operator }) => ({ line, operator }))).toEqual([{ line: 2, operator: 'comparison' }]);
});

test('an entry whose line changed, or whose file is gone, is stale', () => {
  const entry = { file: 'a.ts', operator: 'comparison', line: 'const b = x === 1;', to: 'x !== 1', reason: 'same' };
  const stale = (text: string | undefined) => staleEquivalents(() => text, [entry]).length;
  expect([stale('const b = x === 1;'), stale('const c = x === 1;'), stale(undefined)]).toEqual([0, 1, 1]);
});

test('every excluded fault has a reason', () => {
  expect(EQUIVALENT.filter(({ reason }) => reason.length < 20)).toEqual([]);
});
