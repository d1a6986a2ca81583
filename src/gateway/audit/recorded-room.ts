import { toBinderyError } from '../../contract/errors.ts';
import type { AnyOperation, Call, Room } from '../../contract/operation.ts';
import type { AuditEntry } from './audit-record.ts';

export interface AdminRecorder {
  /** Resolves when the entry is durable. */
  append(entry: AuditEntry): Promise<void>;
  newCallId(): string;
  /** RFC 3339. */
  now(): string;
  /** Masks the recorded input. */
  mask(value: unknown): unknown;
  /** The acting caller. */
  actor(call: Call): string;
}

/** Wraps a room so that every operation that changes something is recorded: before it runs, and with its outcome. */
export function recordedRoom<Deps>(room: Room<Deps>, recorder: AdminRecorder): Room<Deps> {
  return {
    ...room,
    operations: room.operations.map((operation) =>
      operation.hints.readOnly ? operation : recordedOperation(operation, recorder),
    ),
  };
}

export function recordedOperation(operation: AnyOperation, recorder: AdminRecorder): AnyOperation {
  return {
    ...operation,
    run: async (input, deps, call) => {
      const call_id = recorder.newCallId();
      await recorder.append({
        kind: 'admin',
        phase: 'begin',
        call_id,
        time: recorder.now(),
        caller: recorder.actor(call),
        action: operation.id,
        ...namesOf(input),
        arguments: recorder.mask(input),
      });
      const end = (outcome: 'ok' | 'denied', rule?: string) =>
        recorder.append({
          kind: 'admin',
          phase: 'end',
          call_id,
          time: recorder.now(),
          outcome,
          ...(rule === undefined ? {} : { rule: { rule } }),
        });
      try {
        const output = await operation.run(input, deps, call);
        await end('ok');
        return output;
      } catch (thrown) {
        await end('denied', toBinderyError(thrown, operation.failures.internal).code.toLowerCase());
        throw thrown;
      }
    },
  };
}

/**
 * Records an operation as one entry after it has changed something: for one that writes its own record first (an import), or that
 * replaces this log (restoring a backup).
 */
export function recordedAfterwards(
  operation: AnyOperation,
  recorder: AdminRecorder,
  hasChanged: (output: unknown) => boolean = () => true,
): AnyOperation {
  return {
    ...operation,
    run: async (input, deps, call) => {
      const output = await operation.run(input, deps, call);
      if (!hasChanged(output)) return output;
      await recorder.append({
        kind: 'admin',
        phase: 'single',
        call_id: recorder.newCallId(),
        time: recorder.now(),
        caller: recorder.actor(call),
        action: operation.id,
        arguments: recorder.mask(input),
        outcome: 'ok',
      });
      return output;
    },
  };
}

/** The subject of an action, in the members that searches use. */
function namesOf(input: unknown): Pick<AuditEntry, 'server' | 'tool' | 'name'> {
  const { server, tool, name } = (input ?? {}) as Record<string, unknown>;
  return {
    ...(typeof server === 'string' ? { server } : {}),
    ...(typeof tool === 'string' ? { tool } : {}),
    ...(typeof name === 'string' ? { name } : {}),
  };
}
