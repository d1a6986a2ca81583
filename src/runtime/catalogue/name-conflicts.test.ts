import { expect, test } from 'vitest';
import type { ResourceConflict } from '../../gateway/catalogue/resource-routes.ts';
import { conflictText } from './name-conflicts.ts';

test('one resource is named in the singular', () => {
  const of = (count: number) =>
    conflictText(Array.from({ length: count }, () => ({ owner: 'notes' }) as ResourceConflict));
  expect([0, 1, 2].map(of)).toEqual([
    undefined,
    'lists 1 resource that notes had first',
    'lists 2 resources that notes had first',
  ]);
});
