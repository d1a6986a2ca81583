import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { askYes, type OnEnter } from './confirm.ts';

async function answer(keys: string | null, onEnter: OnEnter = 'no'): Promise<string> {
  const input = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => input });
  const output = new PassThrough();
  setImmediate(() => (keys === null ? input.end() : input.write(keys)));
  return askYes('plan\nDo this?', { input, output }, onEnter).then(
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

test('where Enter means yes, a no, the end of input and Ctrl-C still change nothing', async () => {
  const no = 'CANCELLED: Nothing was changed';
  expect([
    await answer('\n', 'yes'),
    await answer('y\n', 'yes'),
    await answer('n\n', 'yes'),
    await answer('what?\n', 'yes'),
    await answer('\u0003', 'yes'),
    await answer(null, 'yes'),
  ]).toEqual(['yes', 'yes', no, no, no, no]);
});
