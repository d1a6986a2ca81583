import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { root } from '../test/repository.ts';
import { NAMED_FAULTS, namedMutant } from './named-faults.ts';

test('every named fault still has its place in the code', () => {
  const lost = NAMED_FAULTS.filter((fault) => !namedMutant(fault, readFileSync(`${root}${fault.file}`, 'utf8')));
  expect(lost.map(({ title }) => title)).toEqual([]);
});
