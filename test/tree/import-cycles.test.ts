import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { root, sourceFiles } from '../support/repository.ts';
import { importsOf } from '../support/source-imports.ts';

type Imports = ReadonlyMap<string, readonly string[]>;

/** The files that a file imports, for values or for types. */
function targetsOf(file: string): string[] {
  return importsOf(readFileSync(join(root, file), 'utf8'))
    .filter(({ from }) => from.startsWith('.'))
    .map(({ from }) => join(dirname(file), from));
}

/** Groups of files of which each leads to each other one (Tarjan's strongly connected components). */
function cyclesOf(imports: Imports): string[][] {
  const order = new Map<string, number>();
  const lowest = new Map<string, number>();
  const open: string[] = [];
  const cycles: string[][] = [];
  const visit = (file: string): void => {
    const own = order.size;
    order.set(file, own);
    lowest.set(file, own);
    open.push(file);
    for (const target of imports.get(file) ?? []) {
      if (!imports.has(target)) continue;
      if (!order.has(target)) visit(target);
      if (open.includes(target)) lowest.set(file, Math.min(lowest.get(file) as number, lowest.get(target) as number));
    }
    if (lowest.get(file) !== own) return;
    const cycle = open.splice(open.indexOf(file));
    if (cycle.length > 1) cycles.push(cycle.sort());
  };
  for (const file of imports.keys()) if (!order.has(file)) visit(file);
  return cycles;
}

test('no files of src import each other in a circle, for values or types', () => {
  const imports = new Map(sourceFiles('src').map((file) => [file, targetsOf(file)]));
  expect(cyclesOf(imports)).toEqual([]);
});

test('a circle is found, whichever way it goes', () => {
  const imports = new Map([
    ['entry', ['a', 'lone']],
    ['a', ['b']],
    ['b', ['c', 'lone']],
    ['c', ['a']],
    ['lone', ['outside']],
  ]);
  expect(cyclesOf(imports)).toEqual([['a', 'b', 'c']]);
});
