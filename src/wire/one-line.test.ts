import fc from 'fast-check';
import { expect, test } from 'vitest';
import { oneLine } from './one-line.ts';

test('any message in any layout is one line that says the same', () => {
  const text = fc.string({
    unit: fc.constantFrom('a', '"', '\\', '\n', '\r', '\u2028', '\u2029', '…', '🚀'),
    maxLength: 8,
  });
  const value = fc.dictionary(text, fc.oneof(text, fc.array(text, { maxLength: 3 })), { maxKeys: 4 });
  const space = fc.constantFrom('', '\n', '\r\n\t', ' ', '\r');
  fc.assert(
    fc.property(value, space, (message, indent) => {
      const line = Buffer.from(oneLine(Buffer.from(indent + JSON.stringify(message, null, indent)))).toString('utf8');
      expect([JSON.parse(line), line.split(/[\n\r\u2028\u2029]/)]).toEqual([message, [line]]);
    }),
  );
});

test('a message that is one line already is not copied', () => {
  const message = Buffer.from('{"text":"…"}');
  expect(oneLine(message).buffer).toBe(message.buffer);
});
