import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Outcome } from './audit-record.ts';
import { CallMetrics } from './call-metrics.ts';

const BOUNDS_US = [1_000, 2_500, 5_000, 10_000, 25_000, 50_000, 100_000, 250_000, 500_000].concat(
  [1, 2.5, 5, 10, 30, 60].map((seconds) => seconds * 1_000_000),
);

interface Ended {
  readonly server: string;
  readonly outcome: Outcome;
  readonly total_us: number | undefined;
  readonly upstream_us: number | undefined;
}

/** What a page of metrics says of these calls, counted anew for each line. */
function naiveLines(calls: readonly Ended[]): string[] {
  const firstSeen = <T>(values: readonly T[]) => [...new Set(values)];
  const histogram = (name: string, durationOf: (call: Ended) => number | undefined) => {
    const timed = calls.filter((call) => durationOf(call) !== undefined);
    const lines = firstSeen(timed.map(({ server }) => server)).flatMap((server) => {
      const durations = timed.filter((call) => call.server === server).map((call) => durationOf(call) as number);
      const buckets = BOUNDS_US.map((bound) => {
        const count = durations.filter((us) => us <= bound).length;
        return `${name}_bucket{server="${server}",le="${bound / 1e6}"} ${count}`;
      });
      return [
        ...buckets,
        `${name}_bucket{server="${server}",le="+Inf"} ${durations.length}`,
        `${name}_sum{server="${server}"} ${durations.reduce((sum, us) => sum + us / 1e6, 0)}`,
        `${name}_count{server="${server}"} ${durations.length}`,
      ];
    });
    return [`# TYPE ${name} histogram`, ...lines];
  };
  const counts = firstSeen(calls.map(({ server }) => server)).flatMap((server) => {
    const own = calls.filter((call) => call.server === server);
    return firstSeen(own.map(({ outcome }) => outcome)).map((outcome) => {
      const count = own.filter((call) => call.outcome === outcome).length;
      return `bindery_calls_total{server="${server}",outcome="${outcome}"} ${count}`;
    });
  });
  return [
    '# TYPE bindery_calls_total counter',
    ...counts,
    ...histogram('bindery_call_seconds', ({ total_us }) => total_us),
    ...histogram('bindery_upstream_seconds', ({ upstream_us }) => upstream_us),
  ];
}

test('counts and histograms equal a naive count, at each bound and a microsecond beside it', () => {
  const near = fc.constantFrom(...BOUNDS_US.flatMap((bound) => [bound - 1, bound, bound + 1]));
  const duration = fc.option(fc.oneof(near, fc.nat(90_000_000)), { nil: undefined });
  const ended = fc.record({
    server: fc.constantFrom('a', 'b', 'c'),
    outcome: fc.constantFrom<Outcome>('ok', 'tool_error', 'denied'),
    total_us: duration,
    upstream_us: duration,
  });
  fc.assert(
    fc.property(fc.array(ended, { maxLength: 40 }), (calls) => {
      const metrics = new CallMetrics();
      for (const { server, outcome, ...durations } of calls) metrics.record(server, outcome, durations);
      expect(metrics.lines()).toEqual(naiveLines(calls));
    }),
    { numRuns: 200 },
  );
});
