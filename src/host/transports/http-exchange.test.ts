import { expect, test } from 'vitest';
import { acquireLargeBuffer, releaseLargeBuffer } from '../../wire/large-buffers.ts';
import { BufferSink } from './http-exchange.ts';

const MAX = 1024 * 1024;
const block = (letter: string) => Buffer.alloc(128 * 1024, letter);

test('[wire:HOSTILE] bodies that are too large reuse the same buffer', () => {
  const room = acquireLargeBuffer(MAX);
  const fill = (letter: string) => {
    releaseLargeBuffer(room);
    const sink = new BufferSink(MAX);
    for (let bytes = 0; bytes < MAX; bytes += 128 * 1024) sink.onChunk(block(letter));
    expect(() => sink.onChunk(Buffer.from(letter))).toThrow(`the answer is larger than ${MAX} bytes`);
    return [acquireLargeBuffer(MAX) === room, room.toString('latin1', 0, 1), room.toString('latin1', MAX - 1, MAX)];
  };
  expect([fill('a'), fill('b')]).toEqual([
    [true, 'a', 'a'],
    [true, 'b', 'b'],
  ]);
});

test('a large body is not overwritten by the next one', () => {
  const sink = new BufferSink(MAX);
  for (const letter of 'abcd') sink.onChunk(block(letter));
  const whole = Buffer.concat([...'abcd'].map(block));
  const [first, second] = [sink.bytes, sink.bytes];
  acquireLargeBuffer(MAX).fill('x');
  expect([first.equals(whole), second.equals(whole)]).toEqual([true, true]);
});
