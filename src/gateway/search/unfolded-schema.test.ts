import { expect, test } from 'vitest';
import { isSmallUnfolded } from './unfolded-schema.ts';
import { ArgumentValidator } from './validate-arguments.ts';

/** A definition that refers twice to the next, and so on. */
function doubling(levels: number, keyword: string): Record<string, unknown> {
  const levelsOf = Array.from({ length: levels }, (_, at) => {
    const next = { $ref: `#/$defs/d${at + 1}` };
    return [`d${at}`, { [keyword]: [next, next] }] as const;
  });
  const $defs = { ...Object.fromEntries(levelsOf), [`d${levels}`]: { required: ['x'] } };
  return JSON.parse(JSON.stringify({ $defs, $ref: '#/$defs/d0' }));
}

test.each(['anyOf', 'allOf', 'oneOf'])('a schema that doubles itself with %s is left to its server', (keyword) => {
  expect(new ArgumentValidator().check(doubling(60, keyword), {})).toEqual([]);
});

test('references are written out before the parts are counted', () => {
  const schema = { $defs: { 'a/b': { type: 'object' } }, properties: { x: { $ref: '#/$defs/a~1b' } } };
  expect([isSmallUnfolded(schema, 5), isSmallUnfolded(schema, 6)]).toEqual([false, true]);
});

test('a schema that refers to itself is checked', () => {
  const tree = {
    type: 'object',
    properties: { left: { $ref: '#' }, right: { $ref: '#' }, name: { type: 'string' } },
  };
  expect(new ArgumentValidator().check(tree, { left: { right: { name: 7 } } }).map(({ pointer }) => pointer)).toEqual([
    '/left/right/name',
  ]);
});

test('what no pointer from the root leads to is not counted, and so not small', () => {
  const schemas = [{ $ref: '#name' }, { $ref: '#/none' }, { $defs: { a: { $id: 'https://example.org/a' } } }];
  expect(schemas.map((schema) => isSmallUnfolded(schema, 100))).toEqual([false, false, false]);
});

test('a schema that leads back to itself without end is left to its server', () => {
  expect(new ArgumentValidator().check({ anyOf: [{ $ref: '#' }, { $ref: '#' }] }, {})).toEqual([]);
});
