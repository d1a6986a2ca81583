import { expect, test } from 'vitest';
import { boundedCatalogue, boundedText } from './bounded-catalogue.ts';
import { DEFINITION_LIMITS as LIMITS } from './definition-limits.ts';
import type { RawCatalogue } from './server-offer.ts';

const WHOLE = { leftOut: {}, tooDeep: [], unusable: [], repaired: [] };
const EMPTY: RawCatalogue = { tools: [], resources: [], resourceTemplates: [], prompts: [] };

function kept(listed: Partial<RawCatalogue>) {
  const { catalogue, leftOut } = boundedCatalogue({ ...EMPTY, ...listed });
  return {
    kept: Object.fromEntries(
      Object.entries(catalogue).flatMap(([kind, { length }]) => (length ? [[kind, length]] : [])),
    ),
    leftOut,
  };
}

/** An item whose JSON has exactly so many characters. */
function item<K extends string>(key: K, chars: number): Record<K, string> {
  const empty = { name: '', [key]: '' };
  return { ...empty, [key]: 'x'.repeat(chars - JSON.stringify(empty).length) } as Record<K, string>;
}

test('lists within the limits are unchanged', () => {
  const listed = {
    tools: [{ name: 't', inputSchema: { type: 'object' } }],
    resources: [{ uri: 'a:1', name: 'r' }],
    resourceTemplates: [
      { uriTemplate: 'a:{x}', name: 'x' },
      { uriTemplate: 'a:plain', name: 'plain' },
    ],
    prompts: [{ name: 'p' }],
  };
  expect(boundedCatalogue(listed)).toEqual({ catalogue: listed, ...WHOLE });
});

test.each([
  ['resources', 'uri', LIMITS.resourcesCharsMax],
  ['prompts', 'name', LIMITS.promptsCharsMax],
] as const)('%s are kept as far as they fit together, and not one character further', (kind, key, charsMax) => {
  const fits = [item(key, charsMax - 100), item(key, 100)];
  expect(kept({ [kind]: fits })).toEqual({ kept: { [kind]: 2 }, leftOut: {} });
  const tooMany = [item(key, charsMax - 100), item(key, 101), item(key, 100)];
  expect(kept({ [kind]: tooMany })).toEqual({ kept: { [kind]: 1 }, leftOut: { [kind]: 2 } });
});

test('templates that match nothing are dropped, and so are those beyond the limits', () => {
  const templates = (count: number, text: (at: number) => string) =>
    Array.from({ length: count }, (_, at) => ({ uriTemplate: text(at) }));
  const long = 'x'.repeat(LIMITS.templateCharsMax + 1);
  const many = '{a}-'.repeat(LIMITS.templateExpressionsMax + 1);
  const unusable = [{ uriTemplate: long }, { uriTemplate: many }, { uriTemplate: 7 }, {}];
  expect(kept({ resourceTemplates: [...unusable, { uriTemplate: 'a:{x}' }] })).toEqual({
    kept: { resourceTemplates: 1 },
    leftOut: { resourceTemplates: 4 },
  });
  expect(kept({ resourceTemplates: templates(LIMITS.templatesMax + 1, (at) => `a:${at}`) })).toEqual({
    kept: { resourceTemplates: LIMITS.templatesMax },
    leftOut: { resourceTemplates: 1 },
  });
  const expressions = LIMITS.templateExpressionsInAllMax;
  expect(kept({ resourceTemplates: templates(expressions + 1, (at) => `a:${at}{x}`) })).toEqual({
    kept: { resourceTemplates: expressions },
    leftOut: { resourceTemplates: 1 },
  });
});

test('tools count by their kept size: a long description is truncated, a large schema replaced', () => {
  const description = 'x'.repeat(1_000_000);
  const schema = { type: 'object', description };
  const tools = Array.from({ length: 20 }, (_, at) => ({
    name: `t${at}`,
    description,
    inputSchema: schema,
    _meta: schema,
  }));
  expect(kept({ tools })).toEqual({ kept: { tools: 20 }, leftOut: {} });
  const large = { type: 'object', description: 'x'.repeat(LIMITS.schemaBytesMax - 100) };
  const many = Array.from({ length: 200 }, (_, at) => ({ name: `t${at}`, inputSchema: large }));
  const fitting = Math.floor(LIMITS.toolsCharsMax / JSON.stringify(many[100]).length);
  expect(kept({ tools: many })).toEqual({ kept: { tools: fitting }, leftOut: { tools: 200 - fitting } });
});

test('only a definition that is nested too deeply is dropped, and it is named', () => {
  const nested = (levels: number): unknown => JSON.parse(`${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`);
  const tools = [3_000, LIMITS.levelsMax - 1, LIMITS.levelsMax].map((levels) => ({
    name: `t${levels}`,
    inputSchema: nested(levels),
  }));
  const { catalogue, ...report } = boundedCatalogue({
    ...EMPTY,
    tools,
    prompts: [{ name: 'p', arguments: nested(5_000) as never }],
  });
  expect([catalogue.tools.map(({ name }) => name), catalogue.prompts, report]).toEqual([
    ['t99'],
    [],
    { leftOut: { tools: 2, prompts: 1 }, tooDeep: ['t3000', 't100', 'p'], unusable: [], repaired: ['t99'] },
  ]);
  expect(boundedText({ ...report, repaired: [] })).toBe(
    'left out: 2 tools, 1 prompts (nested deeper than 100 levels: t3000, t100, p)',
  );
  expect([boundedText({ ...WHOLE, leftOut: { tools: 1 } }), boundedText(WHOLE)]).toEqual([
    'left out: 1 tools (the lists are too large)',
    undefined,
  ]);
});

test('malformed items are repaired or dropped, and named', () => {
  const { catalogue, ...report } = boundedCatalogue({
    tools: [
      { name: 'list', inputSchema: { type: 'array' } },
      { name: 'bare', inputSchema: {} },
      { name: 'whole', inputSchema: { type: 'object' } },
    ],
    resources: [{ uri: 'a:1' }],
    resourceTemplates: [{ uriTemplate: 'a:{x}' }],
    prompts: [{ name: 'p', arguments: null }],
  });
  expect([catalogue.tools.map(({ name }) => name), boundedText(report)]).toEqual([
    ['bare', 'whole'],
    'left out: 1 tools (the input schema is not of an object: list); malformed and repaired: bare, a:{x}, a:1, p',
  ]);
});
