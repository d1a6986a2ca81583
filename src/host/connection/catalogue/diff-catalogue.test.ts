import { expect, test } from 'vitest';
import { diffCatalogue, EMPTY_CATALOGUE } from './catalogue.ts';

const tool = (name: string, inputSchema: unknown = {}) => ({ name, inputSchema });
const nothing = { added: [], removed: [], changed: [] };

test('additions, removals and changes are named; order does not count', () => {
  const before = { ...EMPTY_CATALOGUE, tools: [tool('a'), tool('b'), tool('c')], resources: [{ uri: 'x:1' }] };
  const after = {
    ...EMPTY_CATALOGUE,
    tools: [tool('d'), tool('c', { type: 'object' }), tool('a')],
    resources: [{ uri: 'x:1' }],
  };
  expect(diffCatalogue(before, after)).toEqual({
    tools: { added: ['d'], removed: ['b'], changed: ['c'] },
    resources: nothing,
    resourceTemplates: nothing,
    prompts: nothing,
  });
});

test('equal catalogues have no difference', () => {
  const catalogue = { ...EMPTY_CATALOGUE, tools: [tool('a', { b: 1, c: 2 })], prompts: [{ name: 'p' }] };
  expect(diffCatalogue(catalogue, { ...catalogue, tools: [tool('a', { c: 2, b: 1 })], freshUntil: 7 })).toBeUndefined();
});
