import { randomBytes, randomUUID } from 'node:crypto';
import { createMemoryLog } from '../../../../contract/testing/memory-log.ts';
import { AuditWriter } from '../../../audit/audit-writer.ts';
import { openDatabase } from '../../open-database.ts';
import { AuditShipper } from '../audit-shipper.ts';

/**
 * Records and ships calls until it is killed; prints the id of each call once its record is durable. Arguments: `<data dir> <database>`.
 */
const [, , dataDir = '', url = ''] = process.argv;
const clock = { now: Date.now };
const log = createMemoryLog();
const random = { bytes: (length: number) => randomBytes(length) };
const writer = AuditWriter.open({ dataDir, node: 'a', clock, random });
const database = await openDatabase(url, log);
await AuditShipper.open(writer, { database, dataDir, clock, log });
for (;;) {
  const call_id = randomUUID();
  const time = new Date().toISOString();
  await writer.append({ kind: 'call', phase: 'begin', call_id, time, server: 's', tool: 't' });
  process.stdout.write(`${call_id}\n`);
  await writer.append({ kind: 'call', phase: 'end', call_id, time, outcome: 'ok' });
}
