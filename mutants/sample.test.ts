import { expect, test } from 'vitest';
import { sampleFaults, sourcesOf } from './sample.ts';

const sources = new Map([
  ['a.ts', Array.from({ length: 10 }, (_, at) => `a${at}(!b);`).join('\n')],
  ['b.ts', Array.from({ length: 10 }, (_, at) => `c${at}(!d);`).join('\n')],
]);
const names = (seed: number, count = 6) =>
  sampleFaults(sources, count, seed).map(({ file, start, to }) => `${file} ${start} ${to}`);

test('a seed gives the same faults again, another seed gives others', () => {
  expect(names(1)).toEqual(names(1));
  expect(names(1)).not.toEqual(names(2));
});

test('a larger sample begins with the smaller one, and no fault comes twice', () => {
  expect(names(1, 40).slice(0, 6)).toEqual(names(1));
  expect(new Set(names(1, 100)).size).toBe(40);
});

test('every fault is drawn about as often as any other', () => {
  const drawn = new Map<string, number>();
  for (let seed = 0; seed < 1_000; seed += 1) {
    for (const name of names(seed, 4)) drawn.set(name, (drawn.get(name) ?? 0) + 1);
  }
  expect(drawn.size).toBe(40);
  expect(Math.min(...drawn.values())).toBeGreaterThan(60);
  expect(Math.max(...drawn.values())).toBeLessThan(140);
});

test('tests, code for tests and files of limits are not sampled', () => {
  const files = ['src/a/b.ts', 'src/a/b.test.ts', 'src/a/testing/c.ts', 'src/a/limits.ts', 'src/a/d.md', 'src/e.ts'];
  expect(sourcesOf({ name: 'a', sources: ['src/a/'], tests: [] }, files)).toEqual(['src/a/b.ts']);
});
