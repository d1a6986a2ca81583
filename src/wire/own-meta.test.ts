import { expect, test } from 'vitest';
import { readServerMessage } from './messages.ts';
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

test('the scan of a message finds every spelling of such a key, and nothing in other messages', () => {
  const found = (text: string) => Buffer.from(readServerMessage(Buffer.from(text))?.bytes ?? []).toString();
  const letters = [...'bindery'];
  const escaped = (letter: string) => `\\u00${letter.charCodeAt(0).toString(16)}`;
  const spellings = [
    letters.join(''),
    letters.map(escaped).join(''),
    'Bindery',
    'bin\\u0044ERY',
    ...letters.map((letter, at) => letters.with(at, escaped(letter).replace('6e', '6E')).join('')),
  ];
  const message = (key: string) => `{"jsonrpc":"2.0","id":1,"result":{"_meta":{"${key}/error":1,"a":[{"deep":1}]}}}`;
  const clean = '{"jsonrpc":"2.0","id":1,"result":{"_meta":{"a":[{"deep":1}]}}}';
  expect(spellings.map((key) => found(message(key)))).toEqual(spellings.map(() => clean));
  const others = ['binder', 'b\\\\u0069ndery', '\\u0061indery', ' bindery'];
  for (const key of others) expect(found(message(key))).toBe(message(key));
  expect(found(`{"jsonrpc":"2.0","method":"m","params":{"_meta":{"bindery/x":1}}}`)).toBe(
    '{"jsonrpc":"2.0","method":"m","params":{"_meta":{}}}',
  );
  expect(found(`{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"m","data":{"_meta":{"bindery/x":1}}}}`)).toBe(
    '{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"m","data":{"_meta":{}}}}',
  );
});
