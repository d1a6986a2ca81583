import { expect, test } from 'vitest';
import type { Exchange } from '../message/client.ts';
import { passProgress } from './progress.ts';

/** What reaches the client of a message from the server. */
function passed(message: string): string[] {
  const sent: string[] = [];
  const exchange = { send: (bytes: Uint8Array) => sent.push(Buffer.from(bytes).toString()) } as unknown as Exchange;
  passProgress(exchange, Buffer.from(message), 'mine "é"');
  return sent;
}

const progress = (params: string, more = '') =>
  `{"jsonrpc":"2.0","method":"notifications/progress","params":${params}${more}}`;

test('progress reaches the client under its own token, on one line, with all that the server said in it', () => {
  expect([
    passed(progress('{"progressToken":1,"progress":12345678901234567890.0,"message":"half"}')),
    passed(progress('{\n"progress":1,\r\n"progress\\u0054oken": 1 }')),
  ]).toEqual([
    [progress('{"progressToken":"mine \\"é\\"","progress":12345678901234567890.0,"message":"half"}')],
    [progress('{ "progress":1,  "progress\\u0054oken": "mine \\"é\\"" }')],
  ]);
});

test('[wire:HOSTILE] progress with something beside its parameters that is no JSON is passed on without it', () => {
  expect(passed(progress('{"progressToken":1,"progress":1}', ',"x":NaN'))).toEqual([
    progress('{"progressToken":"mine \\"é\\"","progress":1}'),
  ]);
});

test('[wire:HOSTILE] progress that is nested too deeply to be rewritten is forwarded unchanged', () => {
  const deep = `${'['.repeat(20_000)}${']'.repeat(20_000)}`;
  expect(passed(progress(`{"progressToken":1,"x":${deep}}`))).toEqual([
    progress(`{"progressToken":"mine \\"é\\"","x":${deep}}`),
  ]);
});

test('[wire:HOSTILE] progress that names its token twice is left out', () => {
  expect(passed(progress('{"progressToken":2,"progressToken":1}'))).toEqual([]);
});
