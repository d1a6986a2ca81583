import { describe, expect, test } from 'vitest';
import { ArgumentValidator } from './validate-arguments.ts';

const SCHEMA = {
  type: 'object',
  properties: {
    city: { type: 'string', description: 'Name of the city' },
    days: { type: 'integer', minimum: 1, maximum: 14 },
    unit: { enum: ['celsius', 'fahrenheit'] },
    options: { type: 'object', properties: { 'a/b': { type: 'boolean' } }, additionalProperties: false },
    at: { anyOf: [{ type: 'string' }, { type: 'object', required: ['lat', 'lon'] }] },
    code: { type: 'string', pattern: '^[A-Z]{2}$' },
  },
  required: ['city'],
  additionalProperties: false,
};
const validator = new ArgumentValidator();
const words = (args: unknown, schema: Record<string, unknown> = SCHEMA) =>
  validator.check(schema, args).issues.map(({ pointer, message }) => `${pointer}: ${message}`);

describe('[gateway:F6] an error names the member and says how to correct it', () => {
  test.each([
    [{}, ['/city: is required (string): Name of the city']],
    [{ city: 7 }, ['/city: must be string, but is integer (string): Name of the city']],
    [{ city: 'Oslo', days: 30 }, ['/days: must be <= 14, but is 30']],
    [{ city: 'Oslo', unit: 'kelvin' }, ['/unit: must be one of "celsius", "fahrenheit", but is "kelvin"']],
    [
      { city: 'Oslo', day: 3 },
      ['/day: is not a member of the schema; did you mean days? Members not yet given: days, unit, options, at, code'],
    ],
    [{ city: 'Oslo', options: { 'a/b': 'yes' } }, ['/options/a~1b: must be boolean, but is string (boolean)']],
    [{ city: 'Oslo', at: 5 }, ['/at: must match one of: string; object with lat, lon, but is 5']],
    [{ city: 'Oslo', code: 'no' }, ['/code: must match the pattern ^[A-Z]{2}$, but is "no"']],
    [{ city: 'Oslo', days: 3, unit: 'celsius', code: 'NO' }, []],
  ])('%j', (args, errors) => {
    expect(words(args)).toEqual(errors);
  });
});

test('[gateway:F6] the refusal contains the errors with their pointers', () => {
  const refusal = validator.refusal('weather__get', validator.check(SCHEMA, {}).issues);
  expect([refusal.code, refusal.detail, refusal.members]).toEqual([
    'INVALID_ARGUMENTS',
    'The arguments for weather__get do not fit its input schema. /city: is required (string): Name of the city',
    { errors: [{ pointer: '/city', keyword: 'required', message: 'is required (string): Name of the city' }] },
  ]);
});

test('a draft 7 schema is checked by its own rules', () => {
  const schema = {
    $schema: 'http://json-schema.org/draft-07/schema#',
    type: 'object',
    properties: { pair: { type: 'array', items: [{ type: 'string' }, { $ref: '#/definitions/count' }] } },
    definitions: { count: { type: 'integer' } },
  };
  expect(words({ pair: ['a', 'b'] }, schema)).toEqual(['/pair/1: must be integer, but is string (integer)']);
});

test.each([
  ['refers elsewhere', { $ref: 'https://example.org/schema.json' }],
  ['is broken', { type: 'nonsense', properties: 7 }],
  ['is too large', { type: 'object', required: ['a'], description: 'x'.repeat(70_000) }],
])('a schema that %s is left to its server', (_, schema) => {
  expect(validator.check(schema, {})).toEqual({ issues: [], unchecked: 'schema' });
});

test('two schemas may have the same $id', () => {
  const one = { $id: 'https://example.org/a', type: 'object', required: ['x'] };
  const other = { $id: 'https://example.org/a', type: 'object', required: ['y'] };
  expect([words({}, one), words({}, other)]).toEqual([['/x: is required'], ['/y: is required']]);
});

test('a bounded number of errors is shown', () => {
  const required = Array.from({ length: 40 }, (_, at) => `member${at}`);
  expect(validator.check({ type: 'object', required }, {}).issues).toHaveLength(10);
});

test('schemas that were evicted from the cache are compiled again', () => {
  const small = new ArgumentValidator(2);
  const answers = Array.from(
    { length: 9 },
    (_, at) => small.check({ type: 'object', required: [`m${at % 3}`] }, {}).issues[0]?.pointer,
  );
  expect(answers).toEqual(['/m0', '/m1', '/m2', '/m0', '/m1', '/m2', '/m0', '/m1', '/m2']);
});

test('a pattern with catastrophic backtracking is matched in one pass', () => {
  const schema = { type: 'object', properties: { a: { type: 'string', pattern: '^([a-z0-9]+-?)+$' } } };
  expect(['a'.repeat(100_000), `${'a'.repeat(100_000)}!`].map((a) => words({ a }, schema).length)).toEqual([0, 1]);
});

test('[gateway:F6] every pattern of a schema is checked by itself, at any position', () => {
  const schema = {
    type: 'object',
    properties: {
      sha: { type: 'string', pattern: '^[0-9a-f]{7}$' },
      owner: { type: 'string', pattern: '^[a-z-]+$' },
      tags: { type: 'object', patternProperties: { '^x-': { type: 'string' }, '^n-': { type: 'number' } } },
      names: { type: 'object', propertyNames: { pattern: '^[A-Z]+$' } },
    },
  };
  const good = { sha: '0a1b2c3', owner: 'octo-cat', tags: { 'x-a': 'a', 'n-b': 1 }, names: { AB: 1 } };
  const bad = { sha: 'octo-cat', owner: '0a1b2c3', tags: { 'x-a': 1, 'n-b': 'a' }, names: { ab: 1 } };
  expect([words(good, schema), validator.check(schema, bad).issues.map(({ pointer }) => pointer)]).toEqual([
    [],
    ['/sha', '/owner', '/tags/x-a', '/tags/n-b', '/names', '/names'],
  ]);
});

const LOOKS_AHEAD = { pattern: '^(?=a)' };
test.each([
  ['not', { not: LOOKS_AHEAD }, 'b'],
  ['oneOf', { oneOf: [LOOKS_AHEAD, { pattern: '^(?=b)' }] }, 'b'],
  ['if', JSON.parse('{"if":{"pattern":"^(?=a)"},"then":{"minLength":9}}'), 'b'],
  ['maxContains', { contains: { type: 'string', ...LOOKS_AHEAD }, maxContains: 1 }, ['b', 'b', 'a']],
  ['patternProperties', { patternProperties: { '^(?=a)': { type: 'number' } } }, { b: 'x' }],
  ['pattern', LOOKS_AHEAD, 'b'],
  ['a backreference', { pattern: '^(a)\\1$' }, 'b'],
] as const)('a pattern that is not run refuses nothing under %s', (_, schema, value) => {
  expect(validator.check({ type: 'object', properties: { a: schema } }, { a: value })).toEqual({
    issues: [],
    unchecked: 'pattern',
  });
});

test('an invalid pattern leaves the rest of the schema to be checked', () => {
  const properties = { mail: { type: 'string', pattern: '^[\\w-.]+@[\\w-.]+$' }, age: { type: 'integer' } };
  expect(words({ mail: 'x', age: 'y' }, { type: 'object', properties })).toEqual([
    '/age: must be integer, but is string (integer)',
  ]);
});

test('inherited members do not count as given', () => {
  const schema = { type: 'object', properties: { constructor: { type: 'string' } }, required: ['toString'] };
  expect(words({}, schema)).toEqual(['/toString: is required']);
  expect(words({ constructor: 7, toString: 1 }, schema)).toEqual([
    '/constructor: must be string, but is integer (string)',
  ]);
});

test('decimal steps are read as decimals', () => {
  const schema = { type: 'object', properties: { price: { type: 'number', multipleOf: 0.01 } } };
  expect([19.99, 0.07, 1e6 + 0.29, 0.005].map((price) => words({ price }, schema).length)).toEqual([0, 0, 0, 1]);
});

test('a long array whose items all fail is answered with the first errors', () => {
  const schema = {
    type: 'object',
    properties: { tags: { type: 'array', items: { anyOf: [{ type: 'string' }, { oneOf: [{ type: 'number' }] }] } } },
  };
  const { issues } = validator.check(schema, { tags: Array(20_000).fill(null) });
  expect(issues.map(({ pointer, keyword }) => `${pointer} ${keyword}`)).toEqual(
    Array.from({ length: 10 }, (_, at) => `/tags/${at} anyOf`),
  );
});

test('items of unique lists are compared by value, and too many are left to the server', () => {
  const schema = { type: 'object', properties: { a: { type: 'array', uniqueItems: true } }, required: ['b'] };
  const many = (count: number) => Array.from({ length: count }, (_, at) => ({ x: at, y: [at] }));
  expect([
    words({ a: [[1], [2], [1]], b: 1 }, schema).length,
    words({ a: [{ x: 1, y: '1' }, { x: 1, y: 1 }, ['1'], [1], '1', 1, '[1]', 'x', null, 'null'], b: 1 }, schema).length,
    words(
      {
        a: [
          { x: 1, y: 2 },
          { y: 2, x: 1 },
        ],
        b: 1,
      },
      schema,
    ).length,
    words({ a: [...many(10_000), { y: [7], x: 7 }], b: 1 }, schema).length,
    validator.check(schema, { a: many(250_000) }),
  ]).toEqual([1, 0, 1, 1, { issues: [], unchecked: 'steps' }]);
});
