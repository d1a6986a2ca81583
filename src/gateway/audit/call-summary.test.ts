import { expect, test } from 'vitest';
import { type SummaryRow, summariseCalls } from './call-summary.ts';

const BEGIN = Date.UTC(2026, 10, 17, 12);
const range = { since: BEGIN, until: BEGIN + 60_000, buckets: 2 };
const row = (seconds: number, outcome: string | null, total_us: number | null = null, server = 's'): SummaryRow => ({
  time: new Date(BEGIN + seconds * 1_000).toISOString(),
  server,
  tool: 'tool',
  outcome,
  total_us,
});

test('calls are counted by bucket, server and tool, and what was refused is no failure', () => {
  const rows = [
    row(1, 'ok', 1_000),
    row(2, 'tool_error', 3_000),
    row(31, 'denied', 9),
    row(32, 'rate_limited'),
    row(33, null, null, 'other'),
  ];
  const { total, buckets, servers, tools, truncated } = summariseCalls(rows, range, 100);
  expect(total).toEqual({ calls: 5, ok: 1, failed: 1, denied: 2, p50_us: 1_000, p95_us: 3_000 });
  expect(buckets.map(({ calls, p95_us }) => [calls, p95_us])).toEqual([
    [2, 3_000],
    [3, null],
  ]);
  expect(buckets.map(({ time }) => time)).toEqual(['2026-11-17T12:00:00.000Z', '2026-11-17T12:00:30.000Z']);
  expect(servers.map(({ server, calls }) => [server, calls])).toEqual([
    ['other', 1],
    ['s', 4],
  ]);
  expect(tools).toEqual([
    { server: 's', tool: 'tool', calls: 4, failed: 1 },
    { server: 'other', tool: 'tool', calls: 1, failed: 0 },
  ]);
  expect(truncated).toBe(false);
});

test('percentiles are of the nearest rank, and a summary that read all it may says so', () => {
  const rows = Array.from({ length: 100 }, (_, index) => row(1, 'ok', index + 1));
  const { total, truncated } = summariseCalls(rows, range, 100);
  expect([total.p50_us, total.p95_us, truncated]).toEqual([50, 95, true]);
});
