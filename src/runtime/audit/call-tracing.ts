import type { Log, Random } from '../../contract/ports.ts';
import type { AuditEntry } from '../../gateway/audit/audit-record.ts';
import { callSpan, hasSpan, type SpanIdentity } from '../../gateway/trace/call-span.ts';
import { isSampled, type Sampler } from '../../gateway/trace/sampler.ts';
import { type TraceContext, traceContextOf } from '../../gateway/trace/trace-context.ts';
import { readTraceSettings } from '../../gateway/trace/trace-settings.ts';
import { UP_LIMITS } from '../limits.ts';
import { SpanExporter } from './span-exporter.ts';

export interface CallTracingOptions {
  readonly env: NodeJS.ProcessEnv;
  readonly log: Log;
  readonly random: Random;
  readonly version: string;
}

/** Undefined if the environment names no collector; then calls have no extra cost. */
export function callTracing({ env, log, random, version }: CallTracingOptions): CallTracing | undefined {
  const { settings, warnings } = readTraceSettings(env);
  for (const warning of warnings) log.warn(warning);
  return settings && new CallTracing(new SpanExporter({ settings, version, log }), settings.sampler, random);
}

interface OpenSpan {
  readonly identity: SpanIdentity;
  readonly begin: AuditEntry;
}

/** Turns audit entries into spans and sends them to the collector. */
export class CallTracing {
  readonly #exporter: SpanExporter;
  readonly #sampler: Sampler;
  readonly #random: Random;
  readonly #parents = new Map<string, TraceContext>();
  readonly #open = new Map<string, OpenSpan>();

  constructor(exporter: SpanExporter, sampler: Sampler, random: Random) {
    this.#exporter = exporter;
    this.#sampler = sampler;
    this.#random = random;
  }

  /** Stores the trace context of a call before its first entry. */
  readonly note = (callId: string, meta: unknown): void => {
    const parent = traceContextOf(meta);
    if (parent) this.#parents.set(callId, parent);
  };

  /** Follows an entry. Returns it with a new trace id if its caller sent none. */
  follow(entry: AuditEntry): AuditEntry {
    if (!hasSpan(entry)) return entry;
    if (entry.phase === 'end') {
      const open = this.#open.get(entry.call_id);
      this.#open.delete(entry.call_id);
      if (open) this.#exporter.add(callSpan(open.identity, open.begin, entry));
      return entry;
    }
    const identity = this.#identify(entry.call_id);
    if (!identity) return entry;
    const traced = { ...entry, trace_id: identity.traceId };
    if (entry.phase === 'begin') this.#open.set(entry.call_id, { identity, begin: traced });
    else this.#exporter.add(callSpan(identity, traced, traced));
    return traced;
  }

  /** Lines of the Prometheus text format. */
  metrics(): string[] {
    return [
      '# TYPE bindery_spans_exported_total counter',
      `bindery_spans_exported_total ${this.#exporter.exported}`,
      '# TYPE bindery_spans_dropped_total counter',
      `bindery_spans_dropped_total ${this.#exporter.dropped}`,
    ];
  }

  close(): Promise<void> {
    return this.#exporter.close(UP_LIMITS.spanFlushMs);
  }

  /** Undefined if this trace is not sampled. */
  #identify(callId: string): SpanIdentity | undefined {
    const parent = this.#parents.get(callId);
    this.#parents.delete(callId);
    const traceId = parent?.traceId ?? this.#hex(16);
    if (!isSampled(this.#sampler, traceId, parent)) return undefined;
    return { traceId, spanId: this.#hex(8), ...(parent ? { parent } : {}) };
  }

  #hex(bytes: number): string {
    return Buffer.from(this.#random.bytes(bytes)).toString('hex');
  }
}
