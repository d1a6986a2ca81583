import type { Random } from '../../contract/ports.ts';
import type { AuditEntry } from '../../gateway/audit/audit-record.ts';
import { callSpan, hasSpan, type OtlpSpan, type SpanIdentity } from '../../gateway/trace/call-span.ts';
import { isSampled, type Sampler } from '../../gateway/trace/sampler.ts';
import { type TraceContext, traceContextOf } from '../../gateway/trace/trace-context.ts';

export interface CallTracerOptions {
  readonly sampler: Sampler;
  readonly random: Random;
  /** Takes a span that has ended. */
  readonly add: (span: OtlpSpan) => void;
}

interface OpenSpan {
  readonly identity: SpanIdentity;
  readonly begin: AuditEntry;
}

/** Makes spans of the entries of the audit log as they are written. */
export class CallTracer {
  readonly #options: CallTracerOptions;
  readonly #parents = new Map<string, TraceContext>();
  readonly #open = new Map<string, OpenSpan>();

  constructor(options: CallTracerOptions) {
    this.#options = options;
  }

  /** Notes in which trace a call came; its first entry comes next. */
  note(callId: string, meta: unknown): void {
    const parent = traceContextOf(meta);
    if (parent) this.#parents.set(callId, parent);
  }

  /** Follows an entry. It comes back with the id of the trace that it began, where its caller had none. */
  follow(entry: AuditEntry): AuditEntry {
    if (!hasSpan(entry)) return entry;
    if (entry.phase === 'end') {
      const open = this.#open.get(entry.call_id);
      this.#open.delete(entry.call_id);
      if (open) this.#options.add(callSpan(open.identity, open.begin, entry));
      return entry;
    }
    const identity = this.#identify(entry.call_id);
    if (!identity) return entry;
    const traced = { ...entry, trace_id: identity.traceId };
    if (entry.phase === 'begin') this.#open.set(entry.call_id, { identity, begin: traced });
    else this.#options.add(callSpan(identity, traced, traced));
    return traced;
  }

  /** Undefined where this trace is not kept. */
  #identify(callId: string): SpanIdentity | undefined {
    const parent = this.#parents.get(callId);
    this.#parents.delete(callId);
    const traceId = parent?.traceId ?? this.#hex(16);
    if (!isSampled(this.#options.sampler, traceId, parent)) return undefined;
    return { traceId, spanId: this.#hex(8), ...(parent ? { parent } : {}) };
  }

  #hex(bytes: number): string {
    return Buffer.from(this.#options.random.bytes(bytes)).toString('hex');
  }
}
