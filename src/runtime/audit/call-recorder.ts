import type { AuditEntry, Outcome } from '../../gateway/audit/audit-record.ts';
import { CallMetrics } from '../../gateway/audit/call-metrics.ts';
import type { AuditLog } from '../../proxy/call/ports.ts';
import { type CallTracing, type CallTracingOptions, callTracing } from './call-tracing.ts';

/** The counted fields of an ended call. */
export interface EndedCall {
  readonly server: string;
  readonly outcome: Outcome;
  readonly times: Pick<AuditEntry, 'total_us' | 'upstream_us'>;
}

export interface CallRecorderOptions extends CallTracingOptions {
  /** The user behind a caller, if an authorization server identified it. */
  userOf(caller: string): string | undefined;
  /** A call has ended. */
  onEnd(): void;
  /** Another counter of ended calls. */
  onCounted?: ((call: EndedCall) => void) | undefined;
}

/** Records entries, counts them and creates their spans, so that log, metrics and traces agree. */
export class CallRecorder implements AuditLog {
  readonly metrics = new CallMetrics();
  /** Absent if no collector is configured. */
  readonly tracing: CallTracing | undefined;
  readonly #log: AuditLog;
  readonly #options: CallRecorderOptions;

  constructor(log: AuditLog, options: CallRecorderOptions) {
    this.#log = log;
    this.#options = options;
    this.tracing = callTracing(options);
  }

  append(given: AuditEntry, server: string | undefined = given.server): Promise<void> {
    const entry = this.tracing ? this.tracing.follow(given) : given;
    if (entry.outcome && server) this.#count(server, entry.outcome, entry);
    if (entry.phase === 'end') this.#options.onEnd();
    const user = entry.caller === undefined ? undefined : this.#options.userOf(entry.caller);
    return this.#log.append(user === undefined ? entry : { ...entry, user });
  }

  #count(server: string, outcome: Outcome, entry: AuditEntry): void {
    this.metrics.record(server, outcome, entry);
    const { total_us, upstream_us } = entry;
    this.#options.onCounted?.({
      server,
      outcome,
      times: {
        ...(total_us === undefined ? {} : { total_us }),
        ...(upstream_us === undefined ? {} : { upstream_us }),
      },
    });
  }
}
