import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type BundledModule, bundleParts } from '../../scripts/bundle-parts.ts';

const module = (bytes: number, imports: string[] = [], lazyImports: string[] = []): BundledModule => ({
  bytes,
  imports,
  lazyImports,
});

/** Modules that import only modules after them, and load any module lazily. The first two are entries. */
const graphs = fc
  .array(
    fc.record({
      bytes: fc.integer({ min: 1, max: 100 }),
      imports: fc.array(fc.nat(6), { maxLength: 3 }),
      lazyImports: fc.array(fc.nat(40), { maxLength: 2 }),
    }),
    { minLength: 4, maxLength: 40 },
  )
  .map((rows) => {
    const after = (at: number, steps: readonly number[]) =>
      steps.map((step) => at + 1 + step).filter((to) => to < rows.length && to > 1);
    return new Map(
      rows.map(({ bytes, imports, lazyImports }, at) => [
        `m${at}`,
        module(
          bytes,
          after(at, imports).map((to) => `m${to}`),
          lazyImports.filter((to) => to < rows.length && to > 1).map((to) => `m${to}`),
        ),
      ]),
    );
  });

const LAYERS = [
  { name: 'low', roots: ['m1'], partBytes: 120 },
  { name: 'high', roots: ['m0'], partBytes: 120 },
];

/** Whether the parts, and the modules of no part, can be loaded one after the other. */
function isAcyclic(graph: ReadonlyMap<string, BundledModule>, names: ReadonlyMap<string, string>): boolean {
  const nameOf = (id: string) => names.get(id) ?? id;
  const needs = new Map<string, Set<string>>();
  for (const [id, { imports }] of graph) {
    const own = needs.get(nameOf(id)) ?? new Set();
    for (const imported of imports) if (nameOf(imported) !== nameOf(id)) own.add(nameOf(imported));
    needs.set(nameOf(id), own);
  }
  for (let before = Infinity; needs.size < before; ) {
    before = needs.size;
    for (const [name, own] of needs) if ([...own].every((other) => !needs.has(other))) needs.delete(name);
  }
  return needs.size === 0;
}

test('the files of a bundle never import each other in a cycle, and every module that the roots load has a file', () => {
  fc.assert(
    fc.property(graphs, (graph) => {
      const names = bundleParts(graph, ['m0', 'm1'], LAYERS);
      const loaded = new Set(['m0', 'm1']);
      for (const id of loaded) for (const imported of graph.get(id)?.imports ?? []) loaded.add(imported);
      expect(new Set(names.keys())).toEqual(new Set([...loaded].filter((id) => id !== 'm0' && id !== 'm1')));
      expect(isAcyclic(graph, names)).toBe(true);
    }),
  );
});

test('modules that the same commands load share a file, and a small part joins the one that wastes the fewest bytes', () => {
  const graph = new Map([
    ['main', module(1, [], ['up', 'list'])],
    ['up', module(900, ['a', 'b', 'shared', 'tiny'])],
    ['list', module(10, ['shared', 'tiny'])],
    ['a', module(500)],
    ['b', module(500)],
    ['shared', module(800)],
    ['tiny', module(5)],
  ]);
  const [up, list] = [bundleParts(graph, ['main'], [{ name: 'up', roots: ['up'], partBytes: 100 }]), 'list'];
  expect(new Set([up.get('up'), up.get('a'), up.get('b')]).size).toBe(1);
  expect(up.get('tiny')).toBe(up.get('shared'));
  expect(up.get('shared')).not.toBe(up.get('a'));
  expect(up.has(list)).toBe(false);
});

test('two parts stay apart if one needs the other through a third', () => {
  const graph = new Map([
    ['main', module(1, [], ['up', 'one', 'two'])],
    ['up', module(20, ['middle'])],
    ['one', module(1, ['middle'])],
    ['two', module(1, ['low'])],
    ['middle', module(500, ['low'])],
    ['low', module(5)],
  ]);
  const names = bundleParts(graph, ['main'], [{ name: 'up', roots: ['up'], partBytes: 10 }]);
  expect(isAcyclic(graph, names)).toBe(true);
  expect(names.get('low')).toBe(names.get('middle'));
  expect(names.get('up')).not.toBe(names.get('middle'));
});
