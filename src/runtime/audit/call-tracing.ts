import type { Log, Random } from '../../contract/ports.ts';
import type { AuditEntry } from '../../gateway/audit/audit-record.ts';
import { readTraceSettings } from '../../gateway/trace/trace-settings.ts';
import { UP_LIMITS } from '../limits.ts';
import { CallTracer } from './call-tracer.ts';
import { SpanExporter } from './span-exporter.ts';

/** Spans of a gateway: made of its audit entries, sent to the collector that the environment names. */
export interface CallTracing {
  note(callId: string, meta: unknown): void;
  follow(entry: AuditEntry): AuditEntry;
  /** Lines of the Prometheus text format. */
  metrics(): string[];
  close(): Promise<void>;
}

export interface CallTracingOptions {
  readonly env: NodeJS.ProcessEnv;
  readonly log: Log;
  readonly random: Random;
  readonly version: string;
}

/** Undefined where the environment names no collector: then a call costs nothing more. */
export function callTracing({ env, log, random, version }: CallTracingOptions): CallTracing | undefined {
  const { settings, warnings } = readTraceSettings(env);
  for (const warning of warnings) log.warn(warning);
  if (!settings) return undefined;
  const exporter = new SpanExporter({ settings, version, log });
  const tracer = new CallTracer({ sampler: settings.sampler, random, add: (span) => exporter.add(span) });
  return {
    note: (callId, meta) => tracer.note(callId, meta),
    follow: (entry) => tracer.follow(entry),
    metrics: () => [
      '# TYPE bindery_spans_exported_total counter',
      `bindery_spans_exported_total ${exporter.exported}`,
      '# TYPE bindery_spans_dropped_total counter',
      `bindery_spans_dropped_total ${exporter.dropped}`,
    ],
    close: () => exporter.close(UP_LIMITS.spanFlushMs),
  };
}
