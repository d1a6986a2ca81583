import type { AuditEntry } from '../../gateway/audit/audit-record.ts';
import type { CallMetrics } from '../../gateway/audit/call-metrics.ts';
import type { AuditLog } from '../../proxy/ports.ts';
import type { CallTracing } from './call-tracing.ts';

export interface AttemptLogOptions {
  readonly audit: AuditLog;
  readonly metrics: CallMetrics;
  /** Absent where no spans are made. */
  readonly tracing: CallTracing | undefined;
  /** Who a caller is, where an authorization server said it. */
  userOf(caller: string): string | undefined;
}

/** Records entries, counts them and makes their spans: log, metrics and traces come from the same facts. */
export class AttemptLog implements AuditLog {
  readonly #options: AttemptLogOptions;
  /** Servers of calls that run, by call: an end names its call alone. */
  readonly #begun = new Map<string, string>();

  constructor(options: AttemptLogOptions) {
    this.#options = options;
  }

  append(given: AuditEntry): Promise<void> {
    const { audit, metrics, tracing, userOf } = this.#options;
    const entry = tracing ? tracing.follow(given) : given;
    const server = entry.server ?? this.#begun.get(entry.call_id);
    if (entry.phase === 'begin' && entry.server) this.#begun.set(entry.call_id, entry.server);
    else this.#begun.delete(entry.call_id);
    if (entry.outcome && server) metrics.record(server, entry.outcome, entry);
    const user = entry.caller === undefined ? undefined : userOf(entry.caller);
    return audit.append(user === undefined ? entry : { ...entry, user });
  }
}
