import type { AuditEntry } from '../../gateway/audit/audit-record.ts';
import type { CallMetrics } from '../../gateway/audit/call-metrics.ts';
import type { AuditLog } from '../../proxy/ports.ts';
import type { GatewayRuntimeOptions } from './runtime-options.ts';

/** Records entries and counts them: metrics and log come from the same facts. */
export class CallRecorder implements AuditLog {
  readonly #log: AuditLog;
  readonly #metrics: CallMetrics;
  readonly #follower: GatewayRuntimeOptions['follower'];
  /** Servers of calls that run, by call: an end names its call alone. */
  readonly #begun = new Map<string, string>();

  constructor(log: AuditLog, metrics: CallMetrics, follower: GatewayRuntimeOptions['follower']) {
    this.#log = log;
    this.#metrics = metrics;
    this.#follower = follower;
  }

  append(entry: AuditEntry): Promise<void> {
    const server = entry.server ?? this.#begun.get(entry.call_id);
    if (entry.phase === 'begin' && entry.server) this.#begun.set(entry.call_id, entry.server);
    else this.#begun.delete(entry.call_id);
    if (entry.outcome && server) this.#count(server, entry.outcome, entry);
    return this.#log.append(entry);
  }

  #count(server: string, outcome: NonNullable<AuditEntry['outcome']>, { total_us, upstream_us }: AuditEntry): void {
    const times = {
      ...(total_us === undefined ? {} : { total_us }),
      ...(upstream_us === undefined ? {} : { upstream_us }),
    };
    this.#metrics.record(server, outcome, times);
    this.#follower?.onEnded({ server, outcome, times });
  }
}
