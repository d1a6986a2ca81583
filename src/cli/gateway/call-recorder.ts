import type { AuditEntry } from '../../gateway/audit/audit-record.ts';
import { CallMetrics } from '../../gateway/audit/call-metrics.ts';
import type { AuditLog } from '../../proxy/ports.ts';
import type { CallTracing } from './call-tracing.ts';

/** Records entries, counts them and makes their spans: log, metrics and traces come from the same facts. */
export class CallRecorder implements AuditLog {
  readonly metrics = new CallMetrics();
  /** Absent where no collector is named. */
  readonly tracing: CallTracing | undefined;
  readonly #log: AuditLog;
  readonly #userOf: (caller: string) => string | undefined;
  /** Servers of calls that run, by call: an end names its call alone. */
  readonly #begun = new Map<string, string>();

  /** `userOf` says who a caller is, where an authorization server said it. */
  constructor(
    log: AuditLog,
    tracing: CallTracing | undefined,
    userOf: (caller: string) => string | undefined = () => undefined,
  ) {
    this.#log = log;
    this.#userOf = userOf;
    this.tracing = tracing;
  }

  append(given: AuditEntry): Promise<void> {
    const entry = this.tracing ? this.tracing.follow(given) : given;
    const server = entry.server ?? this.#begun.get(entry.call_id);
    if (entry.phase === 'begin' && entry.server) this.#begun.set(entry.call_id, entry.server);
    else this.#begun.delete(entry.call_id);
    if (entry.outcome && server) this.metrics.record(server, entry.outcome, entry);
    const user = entry.caller === undefined ? undefined : this.#userOf(entry.caller);
    return this.#log.append(user === undefined ? entry : { ...entry, user });
  }
}
