import { randomBytes } from 'node:crypto';
import { createRedactor } from '../../contract/redact.ts';
import type { AdminRecorder } from '../../gateway/audit/recorded-room.ts';
import { AuditWriter } from '../../store/audit/audit-writer.ts';
import { uuidV7 } from '../../store/uuid-v7.ts';

const clock = { now: Date.now };
const random = { bytes: (length: number) => randomBytes(length) };

/** Records what a command changes in the files. It takes a slot of its own from the beginning of an action to its end. */
export function fileRecorder(dataDir: string): AdminRecorder {
  const redactor = createRedactor();
  let writer: AuditWriter | undefined;
  return {
    append: async (entry) => {
      writer ??= AuditWriter.open({ dataDir, node: 'local', clock, random });
      await writer.append(entry);
      if (entry.phase === 'begin') return;
      await writer.close();
      writer = undefined;
    },
    newCallId: () => uuidV7(clock.now(), random),
    now: () => new Date(clock.now()).toISOString(),
    mask: (value) => redactor.value(value),
    actor: () => 'cli',
  };
}
