import { toBinderyError } from '../../contract/errors.ts';
import type { AnyOperation, Call, Room } from '../../contract/operation.ts';
import type { AuditEntry } from './audit-record.ts';

export interface AdminRecorder {
  /** Resolves when the entry is durable. */
  append(entry: AuditEntry): Promise<void>;
  newCallId(): string;
  /** RFC 3339. */
  now(): string;
  /** Masks what is recorded of the input. */
  mask(value: unknown): unknown;
  /** Who acts. */
  actor(call: Call): string;
}

/** The same room, with every operation that changes something recorded: before it happens, and how it ended. */
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
 * Recorded when it is done, as one entry, if it did anything: for what keeps a record of its own first (an import), or puts
 * another log in the place of this one (a backup that is restored).
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

/** What an action is about, where searches look for it. */
function namesOf(input: unknown): Pick<AuditEntry, 'server' | 'tool' | 'name'> {
  const { server, tool, name } = (input ?? {}) as Record<string, unknown>;
  return {
    ...(typeof server === 'string' ? { server } : {}),
    ...(typeof tool === 'string' ? { tool } : {}),
    ...(typeof name === 'string' ? { name } : {}),
  };
}
