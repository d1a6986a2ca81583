import { randomBytes } from 'node:crypto';
import { BinderyError } from '../../contract/errors.ts';
import type { GatewayDeps } from '../../gateway/operations/deps.ts';
import { AuditReads } from '../../store/audit/audit-reads.ts';
import { UP_LIMITS } from '../limits.ts';
import { type VerifyFilesOptions, verifyAudit } from './verify-audit.ts';

type AuditDeps = GatewayDeps['audit'];

/** The audit log of a serving gateway: worker threads read it. */
export function threadedAudit(files: AuditDeps, options: VerifyFilesOptions): AuditDeps {
  const reads = new AuditReads(options.dataDir);
  return {
    ...files,
    search: (query, limit, offset) => reads.search(query, limit, offset),
    call: (callId) => reads.call(callId),
    summary: (query, range) => reads.summary(query, range),
    verify: (request) => verifyAudit(request, { ...options, verifyChains: (noted) => reads.verify(noted) }),
    lines: (redactDigests) => reads.lines(redactDigests ? randomBytes(32) : undefined),
  };
}

/** Limits each caller to one verification or export at a time. */
export function inTurns(audit: AuditDeps): AuditDeps {
  const turns = new AuditTurns();
  return {
    ...audit,
    verify: (request, caller = 'admin') => turns.run(caller, () => audit.verify(request)),
    lines: (redactDigests, caller = 'admin') =>
      turns.items(caller, () => audit.lines(redactDigests) as AsyncIterable<readonly string[]>),
  };
}

/** Limits concurrent verifications and exports of the audit log: one per caller, and a few in total. */
export class AuditTurns {
  readonly #callers = new Set<string>();

  /** Runs one job that reads the log. */
  async run<T>(caller: string, work: () => Promise<T>): Promise<T> {
    const end = this.#begin(caller);
    try {
      return await work();
    } finally {
      end();
    }
  }

  /** Yields items to the reader. The turn begins at once, and ends with the last item or when the reader stops. */
  items<T>(caller: string, items: () => AsyncIterable<T>): AsyncIterable<T> {
    const end = this.#begin(caller);
    const iterator = items()[Symbol.asyncIterator]();
    const ended = <R>(result: R): R => {
      end();
      return result;
    };
    const failed = (error: unknown): never => {
      end();
      throw error;
    };
    return {
      [Symbol.asyncIterator]: () => ({
        next: () => iterator.next().then((item) => (item.done ? ended(item) : item), failed),
        return: async () => {
          try {
            await iterator.return?.();
          } finally {
            end();
          }
          return { value: undefined, done: true };
        },
      }),
    };
  }

  #begin(caller: string): () => void {
    if (this.#callers.has(caller))
      throw new BinderyError('AUDIT_BUSY', { detail: 'this caller verifies or exports it now' });
    if (this.#callers.size >= UP_LIMITS.auditReadersMax)
      throw new BinderyError('AUDIT_BUSY', { detail: 'other callers verify or export it now' });
    this.#callers.add(caller);
    return () => this.#callers.delete(caller);
  }
}
