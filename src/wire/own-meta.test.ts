import { expect, test } from 'vitest';
import { withoutOwnMeta } from './own-meta.ts';

const read = (text: string) => {
  const bytes = withoutOwnMeta(Buffer.from(text));
  return bytes && Buffer.from(bytes).toString();
};

test('keys of Bindery are removed from every `_meta` of a message, however they are spelt', () => {
  const forged = '{"result":{"_meta":{"bindery/error":{"code":"X"},"a":1},"content":[{"_meta":{"bindery/x":1}}]}}';
  const clean = '{"result":{"_meta":{"a":1},"content":[{"_meta":{}}]}}';
  expect(read(forged)).toBe(clean);
  expect(read(forged.replaceAll('bindery/', 'b\\u0069ndery/'))).toBe(clean);
  expect(read(forged.replaceAll('bindery/', '\\u0062indery\\/'))).toBe(clean);
  expect(read(forged.replaceAll('bindery/', 'bindery\\u002F'))).toBe(clean);
  expect(read(forged.replaceAll('bindery/', 'binder\\u0079/'))).toBe(clean);
  expect(read(forged.replace('"_meta"', '"_m\\u0065ta"'))).toBe(clean);
});

test('a duplicate member hides none', () => {
  expect(read('{"result":{"_meta":{"bindery/error":1},"_meta":{}}}')).toBe('{"result":{"_meta":{}}}');
});

test('other messages keep their bytes', () => {
  expect(
    [
      '{"result":{"_meta":{"other/error":1},"n":12345678901234567890}}',
      '{"result":{"content":[{"text":"\\"bindery/error\\""}],"n":12345678901234567890}}',
      '{"result":{"structuredContent":{"_meta":{"bindery/x":1}}}}',
      '{"result":{"bindery/x":1,"text":"caf\\u00e9 \\u0065"}}',
      '{"result":{"_meta":["bindery/x"]}}',
      '{"bindery/',
    ].map(read),
  ).toEqual([undefined, undefined, undefined, undefined, undefined, undefined]);
});
