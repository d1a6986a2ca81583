import type { AuditEntry } from '../../gateway/audit/audit-record.ts';
import type { CallUpstream } from '../../wire/upstream.ts';
import type { ApprovedCall } from '../approvals/approval-ports.ts';
import type { JudgedCall } from './client-call.ts';
import type { GatewayPorts } from './gateway-ports.ts';
import type { ServerLimiter } from './server-limiter.ts';

/** One call on its way through the stages of `pipeline.ts`. */
export interface CallContext extends JudgedCall {
  readonly ports: GatewayPorts;
  readonly limiter: ServerLimiter;
  /** The audit entry with which the call begins. */
  entry: AuditEntry;
  /** The approval that the call uses. */
  approved: ApprovedCall | undefined;
  /** How long the call waited for a person, in milliseconds. Neither queue time nor upstream time includes it. */
  approvalMs?: number | undefined;
  /** The connection that the call was sent on. */
  upstream?: CallUpstream | undefined;
}

/** Microseconds since `startedMs`, a time of `performance.now()`. */
export function microsSince(startedMs: number): number {
  return Math.trunc((performance.now() - startedMs) * 1_000);
}
