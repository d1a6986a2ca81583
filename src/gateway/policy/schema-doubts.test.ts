import { expect, test } from 'vitest';
import { schemaDoubts } from './schema-doubts.ts';

const wrong = { patern: 'x' };
const at = (schema: unknown) => schemaDoubts(schema).map(({ path }) => path.join('/'));

test.each([
  ['allOf', [{}, wrong], 'allOf/1/patern'],
  ['prefixItems', [wrong], 'prefixItems/0/patern'],
  ['items', [wrong], 'items/0/patern'],
  ['items', wrong, 'items/patern'],
  ['additionalProperties', wrong, 'additionalProperties/patern'],
  ['unevaluatedItems', wrong, 'unevaluatedItems/patern'],
  ['propertyNames', wrong, 'propertyNames/patern'],
  ['if', { else: wrong }, 'if/else/patern'],
  ['$defs', { a: {}, patern: wrong }, '$defs/patern/patern'],
  ['dependentSchemas', { a: wrong }, 'dependentSchemas/a/patern'],
  ['properties', { patern: {}, a: { properties: { b: wrong } } }, 'properties/a/properties/b/patern'],
])('a misspelt keyword below %s (%j) is found at %s', (keyword, value, path) => {
  expect(at({ type: 'object', [keyword]: value })).toEqual([path]);
});

test.each([
  ['no schema', [true, null, 'patern', 7, [wrong]]],
  ['where a list belongs', [{ allOf: wrong }, { anyOf: null }]],
  ['where named schemas belong', [{ properties: null }, { properties: 'patern' }, { $defs: [true] }]],
  ['where a value belongs', [{ const: wrong }, { enum: [wrong] }, { default: wrong }, { 'x-own': wrong }]],
  ['where a format belongs', [{ format: 5 }, { format: null }, { format: ['phone'] }, { format: 'date' }]],
])('%s nothing is doubted', (_, schemas) => {
  expect(schemas.map(at)).toEqual(schemas.map(() => []));
});

test('a doubt names the part that checks nothing, and the supported formats', () => {
  expect(schemaDoubts({ patern: 'x', format: 'phone', properties: { a: { format: 'toString' } } })).toEqual([
    { path: ['patern'], message: 'patern is no keyword of JSON Schema 2020-12: it would check nothing' },
    {
      path: ['format'],
      message: expect.stringMatching(/^the format phone is not checked here; use pattern, or one of date, time, /),
    },
    { path: ['properties', 'a', 'format'], message: expect.stringMatching(/^the format toString is not checked here/) },
  ]);
});
