import { expect, test } from 'vitest';
import { namedMutant } from './named-faults.ts';
import { applyMutant } from './operators.ts';

const fault = { title: 'the caller is not compared', file: 'a.ts', from: 'isCaller && ', to: '' };

test('a named fault is put where its text stands, once', () => {
  const text = 'f();\nreturn isCaller && isTool;';
  const mutant = namedMutant(fault, text);
  expect([mutant?.line, mutant && applyMutant(text, mutant)]).toEqual([2, 'f();\nreturn isTool;']);
});

test('a named fault whose text is gone, or stands there twice, has no place', () => {
  expect([namedMutant(fault, 'return isTool;'), namedMutant(fault, 'isCaller && isCaller && a')]).toEqual([
    undefined,
    undefined,
  ]);
});
