import { expect, test } from 'vitest';
import { fieldsOf, isBeyondForm, readFields } from '../../console/src/pages/call-fields.ts';

const text = { type: 'string' };

/** The fields of a schema, as the form asks for them. */
const asked = (schema: unknown) => fieldsOf(schema).map(({ name, kind, isRequired }) => [name, kind, isRequired]);
const sent = (schema: unknown, typed: readonly (readonly [string, string])[]) => {
  const { given, errors } = readFields(fieldsOf(schema), new Map(typed));
  return [JSON.stringify(given), [...errors]];
};

test('names that every object has are names like others', () => {
  const schema = JSON.parse(
    '{"properties":{"__proto__":{"type":"string"},"constructor":{"type":"string"},"toString":{"type":"toString"}}}',
  );
  expect(sent(schema, [])).toEqual(['{}', []]);
  expect(
    sent(schema, [
      ['__proto__', 'a'],
      ['constructor', 'b'],
      ['toString', '{"__proto__":1}'],
    ]),
  ).toEqual(['{"__proto__":"a","constructor":"b","toString":{"__proto__":1}}', []]);
});

test('references within the schema are followed, at the top, in properties and in lists', () => {
  const schema = {
    $ref: '#/$defs/Order',
    $defs: {
      Order: {
        type: 'object',
        required: ['title'],
        properties: {
          title: { $ref: '#/$defs/a~1b' },
          tags: { type: 'array', items: { $ref: '#/$defs/a~1b' } },
          size: { anyOf: [{ $ref: '#/$defs/Size' }, { type: 'null' }] },
          parent: { $ref: '#/$defs/Order' },
        },
      },
      'a/b': { $ref: '#/$defs/Text' },
      Text: text,
      Size: { enum: ['small', 'large'] },
    },
  };
  expect([asked(schema), isBeyondForm(schema)]).toEqual([
    [
      ['title', 'text', true],
      ['tags', 'list', false],
      ['size', 'choice', false],
      ['parent', 'json', false],
    ],
    false,
  ]);
});

test('a reference that leads in a circle or nowhere becomes JSON', () => {
  const $defs = { A: { $ref: '#/$defs/B' }, B: { $ref: '#/$defs/A' } };
  expect(asked({ $defs, properties: { a: { $ref: '#/$defs/A' }, b: { $ref: '#/$defs/constructor' } } })).toEqual([
    ['a', 'json', false],
    ['b', 'json', false],
  ]);
  expect(
    [{ $defs, $ref: '#/$defs/A' }, { $ref: 'https://example.org/x' }, { type: 'object' }].map(isBeyondForm),
  ).toEqual([true, true, false]);
});

test('a number that would be sent with other digits is refused', () => {
  const schema = { properties: { n: { type: 'integer' }, x: { type: 'number' }, j: {} } };
  const inexact = (typed: string, becomes: string) =>
    `cannot be sent exactly: ${typed} would become ${becomes}, because a number keeps about 16 digits`;
  const typed = '12345678901234567890';
  expect(
    sent(schema, [
      ['n', typed],
      ['x', '1e400'],
      ['j', `["12345678901234567890", {"deep": ${typed}}]`],
    ]),
  ).toEqual([
    '{}',
    [
      ['n', inexact(typed, '12345678901234567000')],
      ['x', inexact('1e400', 'Infinity')],
      ['j', inexact(typed, '12345678901234567000')],
    ],
  ]);
  expect(
    sent(schema, [
      ['n', '9007199254740991'],
      ['x', '-0.10e1'],
      ['j', '[1.50, 1E3, 0.0, "12345678901234567890"]'],
    ]),
  ).toEqual(['{"n":9007199254740991,"x":-1,"j":[1.5,1000,0,"12345678901234567890"]}', []]);
  expect(sent(schema, [['x', '0x10']])).toEqual(['{}', [['x', 'must be a number']]]);
});
