import { expect, test } from 'vitest';
import { differences } from '../../console/src/pages/differences.ts';

test('the places at which two arguments differ are named, and where their texts part', () => {
  const long = 'x'.repeat(5_000);
  expect([
    differences({ a: 1, b: [1, { c: 2 }] }, { a: 1, b: [1, { c: 2 }] }),
    differences({ a: `${long}1`, 'b/c': 1 }, { a: `${long}2`, 'b/c': 1, z: 0 }),
    differences({ b: [1, { c: 2 }], d: {} }, { b: [1, { c: '2' }], d: [] }),
    differences([], 'text'),
  ]).toEqual([
    [],
    [{ path: '/a', from: 5_001 }, { path: '/z' }],
    [{ path: '/b/1/c' }, { path: '/d' }],
    [{ path: '/' }],
  ]);
});
