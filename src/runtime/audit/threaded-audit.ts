import { randomBytes } from 'node:crypto';
import type { GatewayDeps } from '../../gateway/operations/deps.ts';
import { AuditReads } from '../../store/audit/audit-reads.ts';
import { AuditTurns } from './audit-turns.ts';
import { type VerifyFilesOptions, verifyAudit } from './verify-audit.ts';

type AuditDeps = GatewayDeps['audit'];

/** The audit log of a gateway that serves calls: it is read in threads. */
export function threadedAudit(files: AuditDeps, options: VerifyFilesOptions): AuditDeps {
  const reads = new AuditReads(options.dataDir);
  return {
    ...files,
    search: (query, limit, offset) => reads.search(query, limit, offset),
    call: (callId) => reads.call(callId),
    verify: (request) => verifyAudit(request, { ...options, verifyChains: (noted) => reads.verify(noted) }),
    lines: (redactDigests) => reads.lines(redactDigests ? randomBytes(32) : undefined),
  };
}

/** Has each caller verify or export one at a time. */
export function inTurns(audit: AuditDeps): AuditDeps {
  const turns = new AuditTurns();
  return {
    ...audit,
    verify: (request, caller = 'admin') => turns.run(caller, () => audit.verify(request)),
    lines: (redactDigests, caller = 'admin') =>
      turns.items(caller, () => audit.lines(redactDigests) as AsyncIterable<readonly string[]>),
  };
}
