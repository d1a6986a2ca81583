import { randomBytes } from 'node:crypto';
import { BinderyError } from '../../contract/errors.ts';
import type { GatewayDeps } from '../../gateway/operations/deps.ts';
import { AuditReads } from '../../store/audit/audit-reads.ts';
import { UP_LIMITS } from '../limits.ts';
import { type VerifyFilesOptions, verifyAudit } from './verify-audit.ts';

type AuditDeps = GatewayDeps['audit'];

/** The audit log of a gateway that serves calls: it is read in threads. */
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

/** Who verifies or exports the audit log now: one at a time of each caller, and a few in all. */
export class AuditTurns {
  readonly #callers = new Set<string>();

  /** Runs work that reads the log once. */
  async run<T>(caller: string, work: () => Promise<T>): Promise<T> {
    const end = this.#begin(caller);
    try {
      return await work();
    } finally {
      end();
    }
  }

  /** Yields items to the reader; the turn begins at once, and ends with the last item or when the reader stops. */
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
