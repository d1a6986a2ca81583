import { expect, test } from 'vitest';
import { toolSet } from '../../../test/support/realistic/tool-set.ts';
import { compileSchema } from './compile-schema.ts';

/** Rules of policy are written in the newest dialect. */
const tools = toolSet(4).filter(({ inputSchema }) => !JSON.stringify(inputSchema).includes('draft-07'));
const STRICT = { dialect: '2020-12', unusablePatterns: 'refuse' } as const;

test('[gateway:P6] each part is checked by its own rule, with several patterns, references and alternatives', () => {
  expect(tools.length).toBeGreaterThan(20);
  for (const { name, inputSchema, good, bad } of tools) {
    const judge = compileSchema(inputSchema, STRICT);
    const verdicts = good.map((args) => judge(args, 1));
    expect([name, verdicts]).toEqual([name, good.map(() => ({ failures: [], unjudged: undefined }))]);
    const found = bad.map(({ arguments: args }) => judge(args, 1).failures.length);
    expect([name, found]).toEqual([name, bad.map(() => 1)]);
  }
});

test.each([
  ['^(?=a)b', 'uses lookahead (?=…)'],
  ['a(?<!b)', 'uses lookbehind (?<!…)'],
  ['(a)\\1', 'uses a backreference \\1'],
  ['(?<n>a)\\k<n>', 'uses a backreference \\k'],
  ['(?i:a)', 'uses modifiers (?i:…)'],
  ['((a{100}){100}){100}', 'repeats more than 20000 parts'],
  ['(((){1000}){1000}){1000}', 'repeats more than 20000 parts'],
  ['a'.repeat(4_097), 'is longer than 4096 characters'],
])('a rule with the pattern %.30s says what it uses', (pattern, why) => {
  expect(() => compileSchema({ properties: { a: { pattern } } }, STRICT)).toThrow(`the pattern ${pattern} ${why}`);
});

test('integers are divided exactly, decimals as decimals', () => {
  const isMultiple = (value: number, multipleOf: number) =>
    compileSchema({ multipleOf }, STRICT)(value, 1).failures.length === 0;
  expect([isMultiple(1, 1_000_000), isMultiple(2_000_000, 1_000_000)]).toEqual([false, true]);
  expect([isMultiple(19.99, 0.01), isMultiple(0.005, 0.01)]).toEqual([true, false]);
});

test('lengths are counted in characters', () => {
  const failures = (schema: object, value: string) => compileSchema(schema, STRICT)(value, 1).failures.length;
  const texts = ['', 'ab', '😀', '😀😀', 'a😀b', 'abcd', '😀'.repeat(9)];
  expect(texts.map((text) => failures({ maxLength: 2 }, text))).toEqual([0, 0, 0, 0, 1, 1, 1]);
  expect(texts.map((text) => failures({ minLength: 2 }, text))).toEqual([1, 0, 1, 0, 0, 0, 0]);
});

test('values are compared by their own members, whatever their names', () => {
  const judge = compileSchema({ enum: [{}, { constructor: 1, toString: null }] }, STRICT);
  const values: unknown[] = [{ toString: null }, { toString: null, constructor: 1 }, {}, []];
  expect(values.map((value) => judge(value, 1).failures.length)).toEqual([1, 0, 0, 1]);
});

test('a member called __proto__ is an ordinary one', () => {
  const schema = JSON.parse('{"properties":{"__proto__":{"type":"string"}},"additionalProperties":false}');
  const judge = compileSchema(schema, STRICT);
  const pointers = ['{"__proto__":1}', '{"__proto__":"a"}', '{}'].map((text) =>
    judge(JSON.parse(text), 9).failures.map(({ pointer }) => pointer),
  );
  expect(pointers).toEqual([['/__proto__'], [], []]);
});
