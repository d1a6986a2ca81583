import { randomBytes, randomUUID } from 'node:crypto';
import { AuditWriter } from '../audit-writer.ts';

/** Begins calls, prints the id of each once its record is durable, and ends every other call, until it is killed or a write fails. */
const writer = AuditWriter.open({
  dataDir: process.argv[2] as string,
  node: 'local',
  clock: { now: Date.now },
  random: { bytes: (length) => randomBytes(length) },
});
writer.setFsync(process.argv[3] === 'fsync');
const CALLERS = 4;
try {
  await Promise.all(Array.from({ length: CALLERS }, callForEver));
} catch (error) {
  process.stdout.write(`${(error as { code: string }).code}\n`);
  process.exit(3);
}

async function callForEver(): Promise<void> {
  for (let index = 0; ; index += 1) {
    const call_id = randomUUID();
    const time = new Date().toISOString();
    await writer.append({ kind: 'call', phase: 'begin', call_id, time, server: 's', tool: 't' });
    process.stdout.write(`${call_id}\n`);
    if (index % 2 === 0) await writer.append({ kind: 'call', phase: 'end', call_id, time, outcome: 'ok' });
  }
}
