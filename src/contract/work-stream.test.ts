import { expect, test } from 'vitest';
import { BinderyError } from './errors.ts';
import { defaultFailures } from './execute.ts';
import { workStream } from './work-stream.ts';

async function linesOf(stream: ReadableStream<Uint8Array>): Promise<unknown[]> {
  const text = await new Response(stream).text();
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as unknown);
}

const call = { requestId: 'r1' };

test('each step is a line, and the result is the last one', async () => {
  const stream = workStream(
    async (tell: (step: number) => void) => {
      tell(1);
      await Promise.resolve();
      tell(2);
      return { built: true };
    },
    call,
    defaultFailures,
  );
  expect(await linesOf(stream)).toEqual([{ step: 1 }, { step: 2 }, { result: { built: true } }]);
});

test('a failure of the table is the last line, as a problem', async () => {
  const stream = workStream(
    async () => {
      throw new BinderyError('SERVER_INVALID', { detail: 'no command' });
    },
    call,
    defaultFailures,
  );
  expect(await linesOf(stream)).toEqual([
    { problem: expect.objectContaining({ code: 'SERVER_INVALID', detail: 'no command', request_id: 'r1' }) },
  ]);
});

test('a failure that nobody foresaw breaks the stream, and its words stay here', async () => {
  const stream = workStream(async () => Promise.reject(new Error('secret')), call, defaultFailures);
  const read = stream.getReader();
  await expect(read.read()).rejects.toThrow('secret');
});

test('the work is told to end when its reader leaves, and tells nobody any more', async () => {
  let heard: AbortSignal | undefined;
  const stream = workStream(
    async (tell: (step: number) => void, signal) => {
      heard = signal;
      tell(1);
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      tell(2);
    },
    call,
    defaultFailures,
  );
  const reader = stream.getReader();
  await reader.read();
  await reader.cancel();
  expect(heard?.aborted).toBe(true);
});
