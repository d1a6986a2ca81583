import fc from 'fast-check';
import { expect, test } from 'vitest';
import { membersOf, readJsonSource } from './json-source.ts';

test('the line of a position is one more than the number of line ends before it', () => {
  const texts = fc
    .array(fc.constantFrom('\n', '\r\n', 'a', ' ', '\n\n'), { maxLength: 30 })
    .map((parts) => parts.join(''));
  fc.assert(
    fc.property(texts, (text) => {
      const { lineAt } = readJsonSource(text);
      for (let offset = 0; offset <= text.length; offset += 1)
        expect(lineAt(offset)).toBe(text.slice(0, offset).split('\n').length);
    }),
  );
});

test('invalid JSON is reported with its position, and a BOM is ignored', () => {
  const { root, syntaxError } = readJsonSource('{\n "a": 1,\n b }');
  expect([root, syntaxError]).toEqual([
    undefined,
    { line: 3, pointer: '', message: expect.stringMatching(/^not JSON: [a-z ]+$/) },
  ]);
  expect(
    ['\uFEFF{}', '{}', '{\uFEFF}', '{}\uFEFF'].map((text) => readJsonSource(text).syntaxError === undefined),
  ).toEqual([true, true, false, false]);
});

test('members come in the order of the file, a duplicate name comes twice', () => {
  const { root } = readJsonSource('{"b":1,"a":{},"b":[2]}');
  const members = root ? membersOf(root) : [];
  expect(members.map(({ name, key, value }) => [name, key.offset, value.type])).toEqual([
    ['b', 1, 'number'],
    ['a', 7, 'object'],
    ['b', 14, 'array'],
  ]);
});
