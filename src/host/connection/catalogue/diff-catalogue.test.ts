import { expect, test } from 'vitest';
import { CONNECTION_LIMITS as LIMITS } from '../limits.ts';
import { type Catalogue, diffCatalogue, EMPTY_CATALOGUE, restMsAfter } from './catalogue.ts';

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

test('lists rest by the length of what was added or changed, and not longer than the limit', () => {
  const large = (name: string, fill: string, millions = 1) => tool(name, fill.repeat(millions * 1_000_000));
  const before = { ...EMPTY_CATALOGUE, tools: [large('a', 'x'), large('b', 'x')] };
  const restMs = (after: Partial<Catalogue>) => {
    const whole = { ...EMPTY_CATALOGUE, ...after };
    const change = diffCatalogue(before, whole);
    return change && Math.round(restMsAfter(change, whole) / 100) * 100;
  };
  expect([
    restMs({ tools: [large('a', 'x'), large('b', 'y')] }),
    restMs({ tools: [large('a', 'z'), large('b', 'y')] }),
    restMs({ tools: [large('a', 'x')] }),
    restMs({ ...before, resources: [{ uri: 'x'.repeat(1_000_000) }] }),
    restMs({ tools: [large('a', 'z', 100)] }),
  ]).toEqual([
    LIMITS.listChangedRestMs,
    2 * LIMITS.listChangedRestMs,
    0,
    LIMITS.listChangedRestMs,
    LIMITS.listChangedRestMsMax,
  ]);
});
