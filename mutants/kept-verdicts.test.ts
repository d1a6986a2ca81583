import { appendFileSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { KeptVerdicts } from './kept-verdicts.ts';
import { findMutants, type Mutant } from './operators.ts';

const tests = ['near.test.ts', 'far.test.ts'];
let path: string;
let files: Record<string, string>;
let mutant: Mutant;
const open = () => new KeptVerdicts(path, (file) => files[file] ?? '');

beforeEach(() => {
  path = join(mkdtempSync(join(tmpdir(), 'bindery-verdicts-')), 'kept', 'verdicts.jsonl');
  files = { 'a.ts': 'f(!a);', 'near.test.ts': '1', 'far.test.ts': '2' };
  [mutant] = findMutants('a.ts', files['a.ts'] as string).filter(({ operator }) => operator === 'not') as [Mutant];
});

test('a verdict of an earlier run is found again, also behind a line that was cut off', () => {
  open().keep(mutant, tests, { kind: 'survived' });
  appendFileSync(path, '{"fault":"12');
  expect(open().find(mutant, tests)).toEqual({ kind: 'survived' });
});

test('a survivor is tried again once any of its tests changed, or another test joined', () => {
  open().keep(mutant, tests, { kind: 'survived' });
  expect(open().find(mutant, [...tests, 'new.test.ts'])).toBeUndefined();
  files['far.test.ts'] = '3';
  expect(open().find(mutant, tests)).toBeUndefined();
});

test('a noticed fault stays noticed until the test that noticed it, or the source, changes', () => {
  const verdict = { kind: 'noticed', by: 'near.test.ts' } as const;
  open().keep(mutant, tests, verdict);
  files['far.test.ts'] = '3';
  expect(open().find(mutant, tests)).toEqual(verdict);
  files['near.test.ts'] = '3';
  expect(open().find(mutant, tests)).toBeUndefined();
  files['near.test.ts'] = '1';
  files['a.ts'] = 'f(!a); g();';
  expect(open().find(mutant, tests)).toBeUndefined();
});
