import { groupOf } from './outcome-groups.ts';

/** A time range, in milliseconds since 1970, divided into equal buckets. */
export interface SummaryRange {
  /** Undefined: from the first counted call. */
  readonly since: number | undefined;
  readonly until: number;
  readonly buckets: number;
  /** Also divide each server's calls into the buckets. */
  readonly perServer?: boolean;
}

/** One call, as needed for a summary. */
export interface SummaryRow {
  readonly time: string;
  readonly server: string | null;
  readonly tool: string | null;
  readonly outcome: string | null;
  /** The rule that denied it. */
  readonly rule: string | null;
  /** Without the time that a person took to approve. */
  readonly total_us: number | null;
}

interface Figures {
  readonly calls: number;
  readonly ok: number;
  readonly failed: number;
  readonly denied: number;
  /** Calls whose clients stopped waiting before a person decided. */
  readonly undecided: number;
  /** Null: none of these calls has a duration. */
  readonly p50_us: number | null;
  readonly p95_us: number | null;
}

export interface CallSummaryReport {
  readonly since: string;
  readonly until: string;
  readonly bucket_ms: number;
  readonly total: Figures;
  readonly buckets: readonly (Figures & { readonly time: string })[];
  readonly servers: readonly (Figures & { readonly server: string; readonly buckets?: readonly Figures[] })[];
  readonly tools: readonly {
    readonly server: string;
    readonly tool: string;
    readonly calls: number;
    readonly failed: number;
  }[];
  /** The range has more calls than one summary reads: the oldest are left out. */
  readonly truncated: boolean;
}

const HOUR_MS = 3_600_000;

class Counter {
  calls = 0;
  ok = 0;
  failed = 0;
  denied = 0;
  undecided = 0;
  readonly #durations: number[] = [];

  add({ outcome, rule, total_us }: SummaryRow): void {
    const group = groupOf(outcome, rule);
    this.calls += 1;
    if (outcome === 'ok') this.ok += 1;
    if (group === 'refused') this.denied += 1;
    if (group === 'undecided') this.undecided += 1;
    if (group === 'failed') this.failed += 1;
    // A call that was not sent has no meaningful duration.
    const isSent = outcome === 'ok' || group === 'failed';
    if (total_us !== null && isSent) this.#durations.push(total_us);
  }

  figures(): Figures {
    const { calls, ok, failed, denied, undecided } = this;
    const sorted = Float64Array.from(this.#durations).sort();
    return { calls, ok, failed, denied, undecided, p50_us: percentile(sorted, 0.5), p95_us: percentile(sorted, 0.95) };
  }
}

/** Summarizes the calls of a range: in total, by time bucket, by server and by tool. */
export function summariseCalls(rows: readonly SummaryRow[], range: SummaryRange, rowsMax: number): CallSummaryReport {
  const since = range.since ?? firstTime(rows, range.until);
  const bucketMs = Math.max(1, Math.ceil((range.until - since) / range.buckets));
  const total = new Counter();
  const buckets = Array.from({ length: range.buckets }, () => new Counter());
  const servers = new Map<string, ServerCounter>();
  const perServer = range.perServer === true ? range.buckets : 0;
  const tools = new Map<string, { server: string; tool: string; calls: number; failed: number }>();
  for (const row of rows) {
    total.add(row);
    const place = Math.floor((Date.parse(row.time) - since) / bucketMs);
    buckets[place]?.add(row);
    if (row.server === null) continue;
    const own = counterOf(servers, row.server, perServer);
    own.total.add(row);
    own.buckets[place]?.add(row);
    if (row.tool === null) continue;
    const key = JSON.stringify([row.server, row.tool]);
    const counted = tools.get(key) ?? { server: row.server, tool: row.tool, calls: 0, failed: 0 };
    counted.calls += 1;
    if (groupOf(row.outcome, row.rule) === 'failed') counted.failed += 1;
    tools.set(key, counted);
  }
  return {
    since: new Date(since).toISOString(),
    until: new Date(range.until).toISOString(),
    bucket_ms: bucketMs,
    total: total.figures(),
    buckets: buckets.map((bucket, index) => ({
      time: new Date(since + index * bucketMs).toISOString(),
      ...bucket.figures(),
    })),
    servers: [...servers]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([server, own]) => ({
        server,
        ...own.total.figures(),
        ...(range.perServer === true ? { buckets: own.buckets.map((bucket) => bucket.figures()) } : {}),
      })),
    tools: [...tools.values()].sort((a, b) => b.calls - a.calls),
    truncated: rows.length >= rowsMax,
  };
}

/** Without calls, one hour before the end. */
function firstTime(rows: readonly SummaryRow[], until: number): number {
  const first = rows.reduce((least, { time }) => (time < least ? time : least), new Date(until).toISOString());
  return rows.length === 0 ? until - HOUR_MS : Date.parse(first);
}

interface ServerCounter {
  readonly total: Counter;
  readonly buckets: readonly Counter[];
}

function counterOf(counters: Map<string, ServerCounter>, name: string, buckets: number): ServerCounter {
  const known = counters.get(name);
  if (known) return known;
  const made = { total: new Counter(), buckets: Array.from({ length: buckets }, () => new Counter()) };
  counters.set(name, made);
  return made;
}

/** Nearest-rank method. */
function percentile(sorted: Float64Array, share: number): number | null {
  if (sorted.length === 0) return null;
  return Math.round(sorted[Math.ceil(sorted.length * share) - 1] as number);
}
