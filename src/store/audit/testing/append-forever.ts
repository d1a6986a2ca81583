import { randomBytes, randomUUID } from 'node:crypto';
import { AuditWriter } from '../audit-writer.ts';

/** Begins a call, says its id once the record is durable, ends every other one; until it is killed. */
const writer = AuditWriter.open({
  dataDir: process.argv[2] as string,
  node: 'local',
  fsync: false,
  clock: { now: Date.now },
  random: { bytes: (length) => randomBytes(length) },
});
for (let index = 0; ; index += 1) {
  const call_id = randomUUID();
  const time = new Date().toISOString();
  await writer.append({ kind: 'call', phase: 'begin', call_id, time, server: 's', tool: 't' });
  process.stdout.write(`${call_id}\n`);
  if (index % 2 === 0) await writer.append({ kind: 'call', phase: 'end', call_id, time, outcome: 'ok' });
}
