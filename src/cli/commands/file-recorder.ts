import { randomBytes } from 'node:crypto';
import { createRedactor } from '../../contract/redact.ts';
import type { AdminRecorder } from '../../gateway/audit/recorded-room.ts';
import { AuditWriter } from '../../store/audit/audit-writer.ts';
import { nodeOfFiles, takeSlotOf } from '../../store/audit/slot-lock.ts';
import { uuidV7 } from '../../store/uuid-v7.ts';
import { registryFileOfCommand } from '../registry-location.ts';
import { inDataDir } from '../running-gateway.ts';

const ONLY_NODE = 'local';
const clock = { now: Date.now };
const random = { bytes: (length: number) => randomBytes(length) };

/** Records a command's changes to files. It holds its own audit slot from the start of an action to its end. */
export function fileRecorder(dataDir: string): AdminRecorder {
  const redactor = createRedactor();
  let writer: AuditWriter | undefined;
  return {
    append: async (entry) => {
      const registryFile = await registryFileOfCommand(undefined, dataDir);
      writer ??= inDataDir(dataDir, () => openWriter(dataDir, registryFile));
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

/** In the data directory of a named node, commands record under that node's name. */
function openWriter(dataDir: string, registryFile: string): AuditWriter {
  const named = nodeOfFiles(dataDir, ONLY_NODE);
  const slot = named === undefined ? undefined : takeSlotOf(dataDir, named);
  return AuditWriter.open({ dataDir, node: named ?? ONLY_NODE, registryFile, clock, random }, slot);
}
