import type { AuditEntry, Outcome } from './audit-record.ts';

/** Upper bounds of the histogram's buckets, in seconds. */
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

interface Histogram {
  readonly counts: number[];
  sum: number;
  count: number;
}

/** Counters and histograms of calls, from the same data as the audit log. Without a label for tools, because there are too many. */
export class CallMetrics {
  /** By server, then by outcome. */
  readonly #calls = new Map<string, Map<Outcome, number>>();
  readonly #seconds = new Map<string, Histogram>();
  readonly #upstream = new Map<string, Histogram>();

  /** Counts a call that has ended. */
  record(
    server: string,
    outcome: Outcome,
    { total_us, upstream_us }: Pick<AuditEntry, 'total_us' | 'upstream_us'>,
  ): void {
    let calls = this.#calls.get(server);
    if (!calls) {
      calls = new Map();
      this.#calls.set(server, calls);
    }
    calls.set(outcome, (calls.get(outcome) ?? 0) + 1);
    if (total_us !== undefined) observe(this.#seconds, server, total_us / 1e6);
    if (upstream_us !== undefined) observe(this.#upstream, server, upstream_us / 1e6);
  }

  /** The Prometheus text format. */
  lines(): string[] {
    return [
      '# TYPE bindery_calls_total counter',
      ...[...this.#calls].flatMap(([server, calls]) =>
        [...calls].map(([outcome, count]) => `bindery_calls_total{server="${server}",outcome="${outcome}"} ${count}`),
      ),
      ...histogramLines('bindery_call_seconds', this.#seconds),
      ...histogramLines('bindery_upstream_seconds', this.#upstream),
    ];
  }
}

function observe(histograms: Map<string, Histogram>, server: string, seconds: number): void {
  let histogram = histograms.get(server);
  if (!histogram) {
    histogram = { counts: BUCKETS.map(() => 0), sum: 0, count: 0 };
    histograms.set(server, histogram);
  }
  const { counts } = histogram;
  for (let index = BUCKETS.length - 1; index >= 0 && seconds <= (BUCKETS[index] as number); index -= 1) {
    counts[index] = (counts[index] as number) + 1;
  }
  histogram.sum += seconds;
  histogram.count += 1;
}

function histogramLines(name: string, histograms: ReadonlyMap<string, Histogram>): string[] {
  const lines = [`# TYPE ${name} histogram`];
  for (const [server, { counts, sum, count }] of histograms) {
    BUCKETS.forEach((bound, index) => {
      lines.push(`${name}_bucket{server="${server}",le="${bound}"} ${counts[index]}`);
    });
    lines.push(
      `${name}_bucket{server="${server}",le="+Inf"} ${count}`,
      `${name}_sum{server="${server}"} ${sum}`,
      `${name}_count{server="${server}"} ${count}`,
    );
  }
  return lines;
}
