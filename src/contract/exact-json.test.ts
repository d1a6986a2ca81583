import fc from 'fast-check';
import { expect, test } from 'vitest';
import { exactNumber, parseExactJson } from './exact-json.ts';
import { coerceTexts } from './text-input.ts';

const changed = /would be changed to/;

test.each([
  '9007199254740993',
  '123456789012345678901234567890',
  '-9007199254740993',
  '1e400',
  '0.1234567890123456789',
])('the number %s is refused: a double has other digits', (text) => {
  expect(() => parseExactJson(`{"a":[{"b":${text}}]}`)).toThrow(changed);
  expect(() => exactNumber(text)).toThrow(changed);
});

test.each(['0', '-0', '1.10', '1E3', '1e21', '9007199254740992', '0.1', '1e-7', '100000000000000000000'])(
  'the number %s is taken: it has the value that it had',
  (text) => expect(parseExactJson(`[${text}]`)).toEqual([Number(text)]),
);

test('digits within texts are no numbers', () => {
  expect(parseExactJson('{"a":"9007199254740993"}')).toEqual({ a: '9007199254740993' });
});

test('whatever JSON writes of a value is read as that value', () => {
  const property = fc.property(fc.jsonValue(), (value) => {
    const text = JSON.stringify(value);
    expect(parseExactJson(text)).toEqual(JSON.parse(text));
  });
  fc.assert(property);
});

test('an integer is taken where it is the value of its digits', () => {
  const naive = (digits: bigint) => BigInt(Number(digits)) === digits;
  const taken = (digits: bigint) => {
    try {
      return BigInt(exactNumber(String(digits))) === digits;
    } catch {
      return false;
    }
  };
  // Where a double has the value, its shortest text may still have other digits: such a number may be refused, never changed.
  fc.assert(fc.property(fc.bigInt(), (digits) => !taken(digits) || naive(digits)));
  fc.assert(fc.property(fc.bigInt(-(2n ** 53n), 2n ** 53n), taken));
});

test('arguments of a command keep their digits or are refused', () => {
  const schema = {
    type: 'object',
    properties: { arguments: { type: 'object' }, n: { type: 'integer' } },
    required: [],
  } as const;
  expect(() => coerceTexts(schema, { arguments: '{"id":9007199254740993}' })).toThrow(changed);
  expect(() => coerceTexts(schema, { n: '9007199254740993' })).toThrow(changed);
  expect(coerceTexts(schema, { arguments: '{"id":1.10}', n: '7' })).toEqual({ arguments: { id: 1.1 }, n: 7 });
});
