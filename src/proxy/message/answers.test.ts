import fc from 'fast-check';
import { expect, test } from 'vitest';
import { acquireBuffer } from '../../wire/buffer-pool.ts';
import { scanEnvelope } from '../../wire/messages.ts';
import { readdressed } from './answers.ts';
import type { ClientRequest } from './client.ts';
import { readClientMessage } from './client-message.ts';

const id = fc.oneof(fc.nat(), fc.string({ unit: 'grapheme', maxLength: 80 }));
const text = fc.string({ maxLength: 40 }).map((part) => part.repeat(200));

/** The same bytes in memory of their own, or in memory that is lent, with so much room before them. */
function placed(bytes: Buffer, isPooled: boolean, room: number): Uint8Array {
  if (!isPooled) return bytes;
  const memory = acquireBuffer(bytes.length, room);
  memory.set(bytes);
  return memory;
}

test('an answer gets the client’s id, at any position and length, and is otherwise unchanged', () => {
  fc.assert(
    fc.property(id, id, text, fc.boolean(), fc.boolean(), fc.constantFrom(0, 1, 64), (theirs, ours, part, ...how) => {
      const [isFirst, isPooled, room] = how;
      const result = { content: [{ type: 'text', text: part }] };
      const answer = (of: unknown) =>
        Buffer.from(JSON.stringify(isFirst ? { jsonrpc: '2.0', id: of, result } : { result, jsonrpc: '2.0', id: of }));
      const request = readClientMessage(
        Buffer.from(JSON.stringify({ jsonrpc: '2.0', id: theirs, method: 'tools/call' })),
      ) as ClientRequest;
      const bytes = placed(answer(ours), isPooled, room);
      const span = scanEnvelope(bytes)?.id;
      if (!span) throw new Error('no id');
      expect(Buffer.from(readdressed(bytes, span, request)).toString()).toBe(answer(theirs).toString());
    }),
    { numRuns: 500 },
  );
});

test('a pooled buffer of a large answer is not copied to change its id', () => {
  const request = readClientMessage(Buffer.from('{"jsonrpc":"2.0","id":123456,"method":"m"}')) as ClientRequest;
  const text = `{"jsonrpc":"2.0","id":7,"result":{"text":"${'x'.repeat(10_000)}"}}`;
  const bytes = placed(Buffer.from(text), true, 64);
  const span = scanEnvelope(bytes)?.id;
  expect(span && readdressed(bytes, span, request).buffer).toBe(bytes.buffer);
});
