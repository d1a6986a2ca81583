import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { root } from '../test/repository.ts';
import { AREAS } from './areas.ts';
import { EQUIVALENT, equivalenceOf } from './equivalent.ts';
import { findMutants } from './operators.ts';
import { sourcesOf } from './sample.ts';

const read = (file: string) => readFileSync(`${root}${file}`, 'utf8');

test('an entry excludes the fault of its own line and no other', () => {
  const text = 'const a = x === 1;\nconst b = x === 1;\nconst c = y === 1;';
  const known = [{ file: 'a.ts', operator: 'comparison', line: 'const b = x === 1;', to: 'x !== 1', reason: 'same' }];
  const excluded = findMutants('a.ts', text).filter((mutant) => equivalenceOf(mutant, text, known) !== undefined);
  expect(excluded.map(({ line, operator }) => ({ line, operator }))).toEqual([{ line: 2, operator: 'comparison' }]);
});

test('every excluded fault stands in a sampled file as it is listed, once, and has a reason', () => {
  const sampled = new Set(
    AREAS.flatMap((area) =>
      sourcesOf(
        area,
        EQUIVALENT.map(({ file }) => file),
      ),
    ),
  );
  const stale = EQUIVALENT.filter((entry) => {
    if (!sampled.has(entry.file) || entry.reason.length < 20) return true;
    const text = read(entry.file);
    return findMutants(entry.file, text).filter((mutant) => equivalenceOf(mutant, text, [entry])).length !== 1;
  });
  expect(stale).toEqual([]);
});
