import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isSampled, samplerOf } from './sampler.ts';
import { traceContextOf } from './trace-context.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN = '00f067aa0ba902b7';

test('only a W3C trace context of a request is read', () => {
  const read = (traceparent: unknown) => traceContextOf({ traceparent });
  expect(read(`00-${TRACE}-${SPAN}-01`)).toEqual({ traceId: TRACE, spanId: SPAN, isSampled: true });
  expect(read(`00-${TRACE}-${SPAN}-02`)).toEqual({ traceId: TRACE, spanId: SPAN, isSampled: false });
  expect(read(`cc-${TRACE}-${SPAN}-01-more`)).toEqual({ traceId: TRACE, spanId: SPAN, isSampled: true });
  const wrong = [
    `00-${TRACE}-${SPAN}-01-more`,
    `ff-${TRACE}-${SPAN}-01`,
    `00-${'0'.repeat(32)}-${SPAN}-01`,
    `00-${TRACE}-${'0'.repeat(16)}-01`,
    `00-${TRACE.toUpperCase()}-${SPAN}-01`,
    `00-${TRACE}-${SPAN}`,
    '',
    7,
    { toString: 'no' },
    undefined,
  ];
  expect(wrong.map(read)).toEqual(wrong.map(() => undefined));
  expect([undefined, null, 'text', 3].map(traceContextOf)).toEqual([undefined, undefined, undefined, undefined]);
});

test('the trace state is included, unless it is too long', () => {
  const traceparent = `00-${TRACE}-${SPAN}-01`;
  expect(traceContextOf({ traceparent, tracestate: 'a=1,b=2' })?.state).toBe('a=1,b=2');
  expect(traceContextOf({ traceparent, tracestate: 'x'.repeat(513) })?.state).toBeUndefined();
});

test('samplers keep all, none, a ratio, or what the caller keeps', () => {
  const keeps = (name: string, argument: string | undefined, traceId: string, parentSampled?: boolean) => {
    const sampler = samplerOf(name, argument);
    const parent = parentSampled === undefined ? undefined : { traceId: TRACE, spanId: SPAN, isSampled: parentSampled };
    return sampler && isSampled(sampler, traceId, parent);
  };
  const [low, high] = [`${'0'.repeat(31)}1`, 'f'.repeat(32)];
  expect([
    keeps('always_on', undefined, low, false),
    keeps('always_off', undefined, high, true),
    keeps('traceidratio', '0.5', low),
    keeps('traceidratio', '0.5', high, false),
    keeps('traceidratio', '0', high),
    keeps('traceidratio', 'nonsense', low),
    keeps('parentbased_always_off', undefined, low, true),
    keeps('parentbased_always_on', undefined, low, false),
    keeps('parentbased_traceidratio', '0.5', low),
    keeps('parentbased_traceidratio', '0.5', high),
    keeps('jaeger_remote', undefined, low),
  ]).toEqual([true, false, false, true, false, true, true, false, false, true, undefined]);
});

test('a ratio keeps about that share of all traces, and a greater ratio keeps everything that a smaller one keeps', () => {
  const id = fc.uint8Array({ minLength: 16, maxLength: 16 }).map((bytes) => Buffer.from(bytes).toString('hex'));
  fc.assert(
    fc.property(
      id,
      fc.double({ min: 0, max: 1, noNaN: true }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      (traceId, a, b) => {
        const [less, more] = [Math.min(a, b), Math.max(a, b)].map((ratio) =>
          isSampled({ ratio, followsParent: false }, traceId),
        );
        return !less || more;
      },
    ),
  );
  const kept = Array.from({ length: 4_000 }, (_, index) =>
    (BigInt(index) * 0x9e3779b97f4a7c15n).toString(16).padStart(32, '0'),
  ).filter((traceId) => isSampled({ ratio: 0.25, followsParent: false }, traceId)).length;
  expect(kept).toBeGreaterThan(800);
  expect(kept).toBeLessThan(1_200);
});
