import fc from 'fast-check';
import { expect, test } from 'vitest';
import { acquireBuffer, isPooled, releaseBuffer } from './buffer-pool.ts';

test('buffers have the requested length, and no two acquired ones share memory', () => {
  const step = fc.oneof(
    fc.record({ take: fc.oneof(fc.integer({ min: 1, max: 70_000 }), fc.constantFrom(4_096, 65_536, 1_048_576)) }),
    fc.record({ give: fc.nat({ max: 9 }) }),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const held: { bytes: Buffer; mark: number }[] = [];
      steps.forEach((step, index) => {
        if ('give' in step) {
          const [gone] = held.splice(step.give, 1);
          if (gone) releaseBuffer(gone.bytes);
          return;
        }
        const bytes = acquireBuffer(step.take).fill(index);
        expect(bytes.length).toBe(step.take);
        held.push({ bytes, mark: index });
      });
      for (const { bytes, mark } of held) expect(bytes.every((byte) => byte === mark)).toBe(true);
    }),
  );
});

test('a released buffer is acquired again, once', () => {
  const first = acquireBuffer(50_000);
  releaseBuffer(first);
  releaseBuffer(first);
  const [second, third] = [acquireBuffer(60_000), acquireBuffer(60_000)];
  expect([second.buffer === first.buffer, third.buffer === first.buffer]).toEqual([true, false]);
});

test('bytes of others are not taken', () => {
  const own = Buffer.alloc(50_000);
  releaseBuffer(own);
  expect([isPooled(own), acquireBuffer(50_000).buffer === own.buffer, isPooled(acquireBuffer(50_000))]).toEqual([
    false,
    false,
    true,
  ]);
});

test('small and very large messages are garbage as ever', () => {
  expect([100, 2 * 1024 * 1024].map((length) => isPooled(acquireBuffer(length)))).toEqual([false, false]);
});
