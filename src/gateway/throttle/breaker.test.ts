import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  admit,
  BREAKER_DEFAULTS,
  type BreakerEvent,
  type BreakerState,
  CLOSED,
  recordOutcome,
  report,
} from './breaker.ts';

const after = (events: readonly BreakerEvent[], now = 0, from: BreakerState = CLOSED) =>
  events.reduce((state, event) => recordOutcome(state, event, now, BREAKER_DEFAULTS), from);
const fails = (count: number): BreakerEvent[] => Array.from({ length: count }, () => 'failed');

test('five consecutive failures open it for a minute, and any answer resets the count [gateway:B2]', () => {
  expect(report(after(fails(4)), 0, BREAKER_DEFAULTS)).toBe('closed');
  expect(report(after([...fails(4), 'answered', ...fails(4)]), 0, BREAKER_DEFAULTS)).toBe('closed');
  const open = after(fails(5));
  expect([0, 59_999, 60_000].map((now) => report(open, now, BREAKER_DEFAULTS))).toEqual(['open', 'open', 'half_open']);
  expect(admit(open, 10_000, BREAKER_DEFAULTS)).toEqual({ admitted: false, retryAfterMs: 50_000 });
});

test('half-open admits one probe, and its outcome decides [gateway:B2]', () => {
  const probe = admit(after(fails(5)), 60_000, BREAKER_DEFAULTS);
  if (!probe.admitted) throw new Error('the probe was refused');
  expect(admit(probe.state, 60_001, BREAKER_DEFAULTS)).toEqual({ admitted: false, retryAfterMs: 1_000 });
  expect(recordOutcome(probe.state, 'answered', 60_002, BREAKER_DEFAULTS)).toEqual(CLOSED);
  const reopened = recordOutcome(probe.state, 'failed', 60_002, BREAKER_DEFAULTS);
  expect([60_002, 120_001, 120_002].map((now) => report(reopened, now, BREAKER_DEFAULTS))).toEqual([
    'open',
    'open',
    'half_open',
  ]);
  const cancelled = recordOutcome(probe.state, 'abandoned', 60_002, BREAKER_DEFAULTS);
  expect([report(cancelled, 60_003, BREAKER_DEFAULTS), admit(cancelled, 60_003, BREAKER_DEFAULTS).admitted]).toEqual([
    'half_open',
    true,
  ]);
});

test('behaves like a list of the last outcomes [gateway:B2]', () => {
  const step = fc.record({
    event: fc.constantFrom<BreakerEvent>('answered', 'failed', 'abandoned'),
    waitMs: fc.integer({ min: 0, max: 90_000 }),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      let state = CLOSED;
      let now = 0;
      let streak = 0;
      let openedAt: number | undefined;
      for (const { event, waitMs } of steps) {
        now += waitMs;
        const openNaively = openedAt !== undefined && now - openedAt < 60_000;
        const admission = admit(state, now, BREAKER_DEFAULTS);
        expect(admission.admitted).toBe(!openNaively);
        if (!admission.admitted) continue;
        state = recordOutcome(admission.state, event, now, BREAKER_DEFAULTS);
        if (event === 'answered') [streak, openedAt] = [0, undefined];
        if (event === 'failed') {
          streak += 1;
          if (streak >= 5) openedAt = now;
        }
      }
    }),
  );
});
