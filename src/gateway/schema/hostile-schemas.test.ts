import { expect, test } from 'vitest';
import { compileSchema, type SchemaVerdict } from './compile-schema.ts';

function judge(schema: unknown, value: unknown): SchemaVerdict {
  return compileSchema(schema, { dialect: '2020-12', unusablePatterns: 'leave' })(value, 10);
}

const NOT_JUDGED: SchemaVerdict = { failures: [], unjudged: 'steps' };
const pointersOf = ({ failures }: SchemaVerdict) => failures.map(({ pointer }) => pointer);

/** A definition that refers twice to the next, and so on. */
function doubling(levels: number, keyword: string): Record<string, unknown> {
  const levelsOf = Array.from({ length: levels }, (_, at) => {
    const next = { $ref: `#/$defs/d${at + 1}` };
    return [`d${at}`, { [keyword]: [next, next] }] as const;
  });
  const $defs = { ...Object.fromEntries(levelsOf), [`d${levels}`]: { required: ['x'] } };
  return JSON.parse(JSON.stringify({ $defs, $ref: '#/$defs/d0' }));
}

test.each(['anyOf', 'oneOf'])('a schema that doubles itself with %s is not judged', (keyword) => {
  expect(judge(doubling(60, keyword), {})).toEqual(NOT_JUDGED);
});

test('a schema that doubles itself with allOf is checked until it has enough failures', () => {
  expect(pointersOf(judge(doubling(60, 'allOf'), {}))).toHaveLength(10);
  expect(judge(doubling(60, 'allOf'), { x: 1 })).toEqual(NOT_JUDGED);
});

test('a recursive schema is checked', () => {
  const tree = {
    type: 'object',
    properties: { left: { $ref: '#' }, right: { $ref: '#' }, name: { type: 'string' } },
  };
  expect(pointersOf(judge(tree, { left: { right: { name: 7 } } }))).toEqual(['/left/right/name']);
});

test.each([
  ['beside alternatives', { anyOf: [{ $ref: '#' }, { $ref: '#' }] }],
  ['at once', { $ref: '#' }],
  ['by two definitions', { $ref: '#/$defs/a', $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } } }],
])('a schema that leads back to itself %s is not judged', (_, schema) => {
  expect(judge(schema, {})).toEqual(NOT_JUDGED);
});

test('a recursive schema with two paths into each member does not follow all combinations', () => {
  const ways = { properties: { a: { $ref: '#' } } };
  const schema = { anyOf: ['x', 'y'].map((name) => ({ allOf: [ways, { required: [name] }] })) };
  const nested = (depth: number): object => (depth === 0 ? {} : { a: nested(depth - 1) });
  expect(judge(schema, nested(60))).toEqual(NOT_JUDGED);
  expect([judge(schema, nested(5)), judge(schema, { a: { x: 1 }, y: 1 })].map(pointersOf)).toEqual([[''], []]);
});

test('many alternatives for many items exceed the budget; an enum of as many values does not', () => {
  const values = Array.from({ length: 3_000 }, (_, at) => `value-${at}`);
  const given = Array.from({ length: 20_000 }, (_, at) => `value-${at % 3_000}`);
  const asAlternatives = { items: { anyOf: values.map((value) => ({ const: value })) } };
  expect(judge(asAlternatives, given)).toEqual(NOT_JUDGED);
  expect(judge({ items: { enum: values } }, given)).toEqual({ failures: [], unjudged: undefined });
  expect(pointersOf(judge({ items: { enum: values } }, [...given, 'other']))).toEqual(['/20000']);
});

test.each([
  ['another document', { $ref: 'https://example.org/schema.json' }, /leads out of the schema/],
  ['a name that is not there', { $ref: '#name' }, /can't resolve reference #name/],
  ['a place that is not there', { $ref: '#/none' }, /can't resolve reference #\/none/],
  ['an address within', { $ref: '#/$defs/a', $defs: { a: { $id: 'https://example.org/a' } } }, /leads out/],
  ['a type that there is not', { type: 'strin' }, /type must be one of/],
  ['a list for a schema', { properties: { a: [] } }, /properties\/a must be a schema/],
  ['a bound that is no number', { properties: { a: { minimum: '1' } } }, /minimum must be a number/],
  ['no alternatives', { anyOf: [] }, /anyOf must be a list that is not empty/],
])('a schema with %s does not compile', (_, schema, message) => {
  expect(() => judge(schema, {})).toThrow(message);
});

test('references lead to anchors, pointers and the root', () => {
  const schema = {
    $id: 'https://example.org/root',
    properties: {
      a: { $ref: '#here' },
      b: { $ref: '#/$defs/a~1b' },
      c: { $ref: 'https://example.org/root#/$defs/a~1b' },
      d: { $ref: 'https://example.org/root' },
      e: { $dynamicRef: '#there' },
    },
    $defs: { 'a/b': { $anchor: 'here', type: 'string' }, x: { $dynamicAnchor: 'there', type: 'null' } },
  };
  expect(pointersOf(judge(schema, { a: 1, b: 1, c: 1, d: { a: 1 }, e: 1 }))).toEqual(['/a', '/b', '/c', '/d/a', '/e']);
});
