import { randomBytes } from 'node:crypto';
import { BinderyError } from '../../contract/errors.ts';
import { redactLines } from '../../gateway/audit/redact-digests.ts';
import type { GatewayDeps } from '../../gateway/operations/deps.ts';
import type { AuditLog } from '../../proxy/call/ports.ts';
import type { AuditWriter } from '../../store/audit/audit-writer.ts';
import type { AuditShipper } from '../../store/postgres/shared/audit-shipper.ts';
import type { PostgresAudit } from '../../store/postgres/shared/postgres-audit.ts';
import { byNoted } from '../audit/verify-audit.ts';

export interface SharedLogOptions {
  readonly writer: AuditWriter;
  /** Undefined until the node has begun to ship. */
  shipper(): AuditShipper | undefined;
  /** Whether a record counts only when the database has it too. */
  isSynced(): boolean;
}

/**
 * The log of a node that ships its records. Without the database calls go on until too much waits; from then on nothing leaves.
 * What has left is recorded in any case.
 */
export function sharedLog({ writer, shipper, isSynced }: SharedLogOptions): AuditLog {
  return {
    append: (entry) => {
      const ships = shipper();
      if (entry.phase !== 'end' && ships?.isBehind) return Promise.reject(new BinderyError('STORE_UNAVAILABLE'));
      const written = writer.append(entry);
      if (!ships || !isSynced()) return written;
      return written
        .then(() => ships.until(writer.head.seq))
        .catch((error: unknown) => {
          const { kind, call_id, time } = entry;
          // Written here and not there: it was not sent, and this says so.
          if (entry.phase === 'begin' && writer.isWritable)
            writer.append({ kind, phase: 'end', call_id, time, outcome: 'interrupted' }).catch(() => {});
          throw error;
        });
    },
  };
}

/** The audit log of all nodes, for the operations that read it; what only the node's own files have is read from them. */
export function sharedAuditDeps(
  files: GatewayDeps['audit'],
  use: <T>(read: (audit: PostgresAudit) => Promise<T>) => Promise<T>,
): GatewayDeps['audit'] {
  return {
    ...files,
    search: (query, limit, offset) => use((audit) => audit.search(query, limit, offset)),
    call: (callId) =>
      use(async (audit) => {
        const [joined] = await audit.search({ call_id: callId }, 1);
        return joined && { ...joined, records: await audit.recordsOf(callId) };
      }),
    verify: (request) =>
      request.file === undefined
        ? byNoted(request, undefined, (noted) => use((audit) => audit.verify(noted)))
        : files.verify(request),
    lines: (redactDigests) => {
      const key = redactDigests ? randomBytes(32) : undefined;
      return handedOn<readonly string[]>((give) =>
        use(async (audit) => {
          for await (const lines of audit.lineBatches()) await give(key ? redactLines(lines, key) : lines);
        }),
      );
    },
  };
}

/** What work yields, pulled by its consumer: work waits until then, and ends when the consumer leaves. */
function handedOn<T>(work: (give: (item: T) => Promise<void>) => Promise<void>): AsyncIterable<T> {
  const { readable, writable } = new TransformStream<T, T>(undefined, { highWaterMark: 1 }, { highWaterMark: 0 });
  const writer = writable.getWriter();
  work(async (item) => {
    await writer.ready;
    await writer.write(item);
  })
    .then(
      () => writer.close(),
      (error: unknown) => writer.abort(error),
    )
    .catch(() => {
      // The consumer has left, or got the error.
    });
  return readable as unknown as AsyncIterable<T>;
}
