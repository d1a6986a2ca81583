import { expect, test } from 'vitest';
import { findMutants, type Mutant } from './operators.ts';
import { type Sampled, scoreTable } from './score-table.ts';

const [mutant] = findMutants('a.ts', 'f(!a);').filter(({ operator }) => operator === 'not') as [Mutant];
const noticed = { kind: 'noticed', by: 'a.test.ts' } as const;

test('equivalent faults are counted apart, a score is rounded down, and survivors are named', () => {
  const sampled: Sampled[] = [
    ...Array.from({ length: 9 }, () => ({ area: 'a', mutant, verdict: noticed })),
    { area: 'a', mutant, verdict: { kind: 'survived' } },
    { area: 'a', mutant, verdict: { kind: 'equivalent', reason: 'only a log line differs' } },
    { area: 'b', mutant, verdict: noticed },
    { area: 'b', mutant, verdict: noticed },
  ];
  expect(scoreTable(sampled).split('\n')).toEqual([
    '| area | sampled | equivalent | noticed | survived | score |',
    '|---|--:|--:|--:|--:|--:|',
    '| a | 11 | 1 | 9 | 1 | 90 % |',
    '| b | 2 | 0 | 2 | 0 | 100 % |',
    '| all | 13 | 1 | 11 | 1 | 91 % |',
    '',
    'survived: a.ts:1 not: "!a" → "a"',
    'equivalent: a.ts:1 not: "!a" → "a": only a log line differs',
  ]);
});
