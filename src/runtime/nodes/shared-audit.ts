import { randomBytes } from 'node:crypto';
import { redactLines } from '../../gateway/audit/redact-digests.ts';
import type { GatewayDeps } from '../../gateway/operations/deps.ts';
import type { PostgresAudit } from '../../store/postgres/shared/postgres-audit.ts';
import { byNoted } from '../audit/verify-audit.ts';

/** The audit log of all nodes, for the operations that read it. Data that exists only in this node's files is read from there. */
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
      return toIterable<readonly string[]>((give) =>
        use(async (audit) => {
          for await (const lines of audit.lineBatches()) await give(key ? redactLines(lines, key) : lines);
        }),
      );
    },
  };
}

/** Turns a producer into an async iterable with backpressure: the producer waits for its consumer, and ends when the consumer stops. */
function toIterable<T>(work: (give: (item: T) => Promise<void>) => Promise<void>): AsyncIterable<T> {
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
      // The consumer has stopped, or received the error.
    });
  return readable as unknown as AsyncIterable<T>;
}
