import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { PROXY_LIMITS } from '../limits.ts';
import { readClientLines } from './client-lines.ts';

const long = 'x'.repeat(PROXY_LIMITS.bodyBytesMax);

test.each<[string, string, unknown]>([
  ['before the parameters', `{"jsonrpc":"2.0","id":7,"method":"m","params":{"text":"${long}"}}`, 7],
  ['after them', `{"method":"m","params":{"id":1,"text":"${long}"},"jsonrpc":"2.0","id":"a"}`, 'a'],
  ['only within them', `{"method":"m","params":{"text":"${long}","id":1}}`, null],
  ['nowhere', `{"method":"m","params":{"text":"${long}"}}`, null],
  ['as no JSON', `{"text":"${long}","id":007}`, null],
])('a line that is too long is refused with its id where that stands %s', async (_, line, id) => {
  const refused: unknown[] = [];
  const lines: string[] = [];
  const input = Readable.from([Buffer.from(line), Buffer.from('\nnext\n')]);
  await readClientLines(input, {
    receive: (bytes) => lines.push(Buffer.from(bytes).toString('utf8')),
    refuseLine: (found) => refused.push(found),
  });
  expect([refused, lines]).toEqual([[id], ['next']]);
});
