import { expect, test } from 'vitest';
import { inputFields } from './input-form.ts';

const field = (schema: object, required = true) =>
  inputFields({ type: 'object', properties: { f: schema }, required: required ? ['f'] : [] })[0];
const MANY = {
  type: 'array',
  items: {
    anyOf: [
      { const: 'r', title: 'Red' },
      { const: 'g', title: 'Green' },
    ],
  },
};

test.each([
  [{ type: 'string' }, ' Ada ', { value: 'Ada' }],
  [{ type: 'string' }, '', { wrong: 'it is needed' }],
  [{ type: 'string', default: 'x' }, '', { value: 'x' }],
  [{ type: 'string', maxLength: 2 }, 'abc', { wrong: 'at most 2 characters' }],
  [{ type: 'string', format: 'email' }, 'a@b', { value: 'a@b' }],
  [{ type: 'string', format: 'email' }, 'a b', { wrong: 'it is no email' }],
  [{ type: 'string', format: 'uri' }, 'nonsense', { wrong: 'it is no uri' }],
  [{ type: 'string', format: 'date' }, '2026-02-30x', { wrong: 'it is no date' }],
  [{ type: 'string', format: 'date-time' }, '2026-02-03T10:00:00Z', { value: '2026-02-03T10:00:00Z' }],
  [{ type: 'number' }, '1.5', { value: 1.5 }],
  [{ type: 'number' }, 'many', { wrong: 'it must be a number' }],
  [{ type: 'integer' }, '1.5', { wrong: 'it must be a whole number' }],
  [{ type: 'integer', maximum: 3 }, '4', { wrong: 'at most 3' }],
  [{ type: 'boolean' }, 'YES', { value: true }],
  [{ type: 'boolean' }, 'n', { value: false }],
  [{ type: 'boolean' }, 'maybe', { wrong: 'y or n' }],
  [{ type: 'string', enum: ['a', 'b'], enumNames: ['First', 'Second'] }, 'Second', { value: 'b' }],
  [{ type: 'string', enum: ['a', 'b'] }, 'c', { wrong: 'one of a, b' }],
  [MANY, 'r, Green, r', { value: ['r', 'g'] }],
  [MANY, 'r, blue', { wrong: 'one of r, g' }],
])('[host:E1] %j takes %j as %j', (schema, line, parsed) => {
  expect(field(schema)?.parse(line)).toEqual(parsed);
});

test('[host:E1] optional fields may stay empty, and labels describe the fields', () => {
  expect([field({ type: 'integer' }, false)?.parse(' '), field(MANY)?.label, inputFields(undefined)]).toEqual([
    { value: undefined },
    'f (r = Red, g = Green; several with commas)',
    [],
  ]);
});
