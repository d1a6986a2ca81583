import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { askYes } from './confirm.ts';

async function answer(keys: string | null): Promise<string> {
  const input = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => input });
  const output = new PassThrough();
  setImmediate(() => (keys === null ? input.end() : input.write(keys)));
  return askYes('plan\nDo this?', { input, output }).then(
    () => 'yes',
    (error: { code?: string; detail?: string }) => `${error.code}: ${error.detail}`,
  );
}

test('only yes is yes; a no, an empty line, the end of input and Ctrl-C change nothing', async () => {
  const no = 'CANCELLED: Nothing was changed';
  expect([
    await answer('y\n'),
    await answer('Yes\n'),
    await answer('n\n'),
    await answer('\n'),
    await answer('yess\n'),
    await answer('\u0003'),
    await answer(null),
  ]).toEqual(['yes', 'yes', no, no, no, no, no]);
});
