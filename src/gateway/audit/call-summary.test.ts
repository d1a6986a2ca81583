import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type SummaryRange, type SummaryRow, summariseCalls } from './call-summary.ts';

const BEGIN = Date.UTC(2026, 10, 17, 12);
const range = { since: BEGIN, until: BEGIN + 60_000, buckets: 2 };
const row = (seconds: number, outcome: string | null, total_us: number | null = null, server = 's'): SummaryRow => ({
  time: new Date(BEGIN + seconds * 1_000).toISOString(),
  server,
  tool: 'tool',
  outcome,
  rule: null,
  total_us,
});

test('calls are counted by bucket, server and tool, and refused calls are not failures', () => {
  const rows = [
    row(1, 'ok', 1_000),
    row(2, 'tool_error', 3_000),
    row(31, 'denied', 9),
    row(32, 'rate_limited'),
    row(33, null, null, 'other'),
    { ...row(34, 'denied', 47_000_000), rule: 'approval_pending' },
  ];
  const { total, buckets, servers, tools, truncated } = summariseCalls(rows, range, 100);
  expect(total).toEqual({ calls: 6, ok: 1, failed: 1, denied: 2, undecided: 1, p50_us: 1_000, p95_us: 3_000 });
  expect(buckets.map(({ calls, p95_us }) => [calls, p95_us])).toEqual([
    [2, 3_000],
    [4, null],
  ]);
  expect(buckets.map(({ time }) => time)).toEqual(['2026-11-17T12:00:00.000Z', '2026-11-17T12:00:30.000Z']);
  expect(servers.map(({ server, calls }) => [server, calls])).toEqual([
    ['other', 1],
    ['s', 5],
  ]);
  expect(tools).toEqual([
    { server: 's', tool: 'tool', calls: 5, failed: 1 },
    { server: 'other', tool: 'tool', calls: 1, failed: 0 },
  ]);
  expect(truncated).toBe(false);
});

test('percentiles use the nearest rank, and a summary that reached its limit says so', () => {
  const rows = Array.from({ length: 100 }, (_, index) => row(1, 'ok', index + 1));
  const { total, truncated } = summariseCalls(rows, range, 100);
  expect([total.p50_us, total.p95_us, truncated]).toEqual([50, 95, true]);
});

test('a summary without a start begins with the first counted call, or an hour before its end', () => {
  const whole = { since: undefined, until: BEGIN + 60_000, buckets: 3 };
  const rows = [row(50, 'ok', 1), row(30, 'ok', 1), row(59, 'denied', 1)];
  const { since, buckets, bucket_ms } = summariseCalls(rows, whole, 12);
  expect([since, bucket_ms, buckets.map(({ calls }) => calls)]).toEqual([rows[1]?.time, 10_000, [1, 0, 2]]);
  expect(summariseCalls([], whole, 12).since).toBe(new Date(BEGIN + 60_000 - 3_600_000).toISOString());
});

const isRefused = (outcome: string | null) => ['denied', 'rate_limited', 'breaker_open'].includes(outcome ?? '');
const isFailed = (outcome: string | null) => outcome !== null && outcome !== 'ok' && !isRefused(outcome);

const isUndecided = ({ outcome, rule }: SummaryRow) => outcome === 'denied' && rule === 'approval_pending';

/** Figures of these calls, each counted by itself. */
function naiveFigures(rows: readonly SummaryRow[]) {
  const durations = rows
    .filter(({ outcome }) => outcome !== null && !isRefused(outcome))
    .flatMap(({ total_us }) => total_us ?? [])
    .sort((a, b) => a - b);
  // The smallest duration that so many of the calls do not exceed.
  const percentile = (share: number) =>
    durations.find((one) => durations.filter((other) => other <= one).length >= durations.length * share) ?? null;
  return {
    calls: rows.length,
    ok: rows.filter(({ outcome }) => outcome === 'ok').length,
    failed: rows.filter(({ outcome }) => isFailed(outcome)).length,
    denied: rows.filter((one) => isRefused(one.outcome) && !isUndecided(one)).length,
    undecided: rows.filter(isUndecided).length,
    p50_us: percentile(0.5),
    p95_us: percentile(0.95),
  };
}

type KnownRange = SummaryRange & { readonly since: number };

function naiveSummary(rows: readonly SummaryRow[], { since, until, buckets }: KnownRange, rowsMax: number) {
  const bucketMs = Math.ceil((until - since) / buckets) || 1;
  const within = (from: number) =>
    rows.filter(({ time }) => Date.parse(time) >= from && Date.parse(time) < from + bucketMs);
  const names = [...new Set(rows.flatMap(({ server }) => server ?? []))].sort();
  const tools = names.flatMap((server) =>
    [...new Set(rows.filter((row) => row.server === server).flatMap(({ tool }) => tool ?? []))].map((tool) => {
      const own = rows.filter((row) => row.server === server && row.tool === tool);
      return { server, tool, calls: own.length, failed: own.filter(({ outcome }) => isFailed(outcome)).length };
    }),
  );
  return {
    since: new Date(since).toISOString(),
    until: new Date(until).toISOString(),
    bucket_ms: bucketMs,
    total: naiveFigures(rows),
    buckets: Array.from({ length: buckets }, (_, index) => ({
      time: new Date(since + index * bucketMs).toISOString(),
      ...naiveFigures(within(since + index * bucketMs)),
    })),
    servers: names.map((server) => ({ server, ...naiveFigures(rows.filter((row) => row.server === server)) })),
    tools,
    truncated: rows.length >= rowsMax,
  };
}

test('a summary equals a naive count, also at bucket edges and with missing values', () => {
  const outcome = fc.constantFrom(null, 'ok', 'tool_error', 'timed_out', 'denied', 'rate_limited', 'breaker_open');
  const rows = fc.array(
    fc.record({
      time: fc.integer({ min: -1, max: 61 }).map((ms) => new Date(BEGIN + ms).toISOString()),
      server: fc.constantFrom(null, 'a', 'b'),
      tool: fc.constantFrom(null, 't', 'u'),
      outcome,
      rule: fc.constantFrom(null, 'approval_pending', 'tool_not_listed'),
      total_us: fc.option(fc.nat(50)),
    }),
    { maxLength: 25 },
  );
  const byName = (a: { server: string; tool: string }, b: { server: string; tool: string }) =>
    `${a.server} ${a.tool}` < `${b.server} ${b.tool}` ? -1 : 1;
  fc.assert(
    fc.property(rows, fc.integer({ min: 0, max: 60 }), fc.integer({ min: 1, max: 9 }), (given, ms, buckets) => {
      const asked = { since: BEGIN, until: BEGIN + ms, buckets };
      const { tools, ...summary } = summariseCalls(given, asked, 12);
      const { tools: naiveTools, ...naive } = naiveSummary(given, asked, 12);
      expect(summary).toEqual(naive);
      expect([...tools].sort(byName)).toEqual([...naiveTools].sort(byName));
      // The most used one comes first.
      expect(tools.map(({ calls }) => calls)).toEqual(naiveTools.map(({ calls }) => calls).sort((a, b) => b - a));
    }),
    { numRuns: 500 },
  );
});

test('each server is divided into the same buckets on request', () => {
  const rows = [row(1, 'ok', 1_000), row(2, 'ok', 9_000, 'other'), row(31, 'tool_error', 3_000), row(32, 'denied')];
  const { buckets, servers } = summariseCalls(rows, { ...range, perServer: true }, 100);
  const shown = servers.map(({ server, buckets: own }) => [
    server,
    own?.map(({ calls, failed, p95_us }) => [calls, failed, p95_us]),
  ]);
  expect(shown).toEqual([
    [
      'other',
      [
        [1, 0, 9_000],
        [0, 0, null],
      ],
    ],
    [
      's',
      [
        [1, 0, 1_000],
        [2, 1, 3_000],
      ],
    ],
  ]);
  const sums = buckets.map((_, at) => servers.reduce((sum, { buckets: own }) => sum + (own?.[at]?.calls ?? 0), 0));
  expect(sums).toEqual(buckets.map(({ calls }) => calls));
});
