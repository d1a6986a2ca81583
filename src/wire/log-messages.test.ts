import { expect, test } from 'vitest';
import { beginsAsLogMessage } from './messages.ts';

test('lines of a log are known by how they begin, other messages are not', () => {
  const messages = [
    '{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info"}}',
    '{"jsonrpc":"2.0","method":"notifications/message"}',
    '{"jsonrpc":"2.0","method":"notifications/messages","params":{}}',
    '{"jsonrpc":"2.0","method":"notifications/progress","params":{}}',
    '{"jsonrpc":"2.0","id":1,"result":{}}',
    '{',
  ];
  expect(messages.map((message) => beginsAsLogMessage(Buffer.from(message)))).toEqual([
    true,
    false,
    false,
    false,
    false,
    false,
  ]);
});
