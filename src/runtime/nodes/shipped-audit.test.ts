import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createMemoryLog } from '../../contract/testing/memory-log.ts';
import type { AuditEntry } from '../../gateway/audit/audit-record.ts';
import { readAudit } from '../../store/audit/audit-reader.ts';
import { AuditWriter } from '../../store/audit/audit-writer.ts';
import { type Database, openDatabase } from '../../store/postgres/open-database.ts';
import { PostgresAudit } from '../../store/postgres/shared/postgres-audit.ts';
import { startPostgres, type TestPostgres } from '../../store/postgres/testing/start-postgres.ts';
import { ShippedAudit } from './shipped-audit.ts';

const log = createMemoryLog();
const random = { bytes: (length: number) => crypto.getRandomValues(new Uint8Array(length)) };
const time = '2026-10-01T12:00:00.000Z';
const entry = (call_id: string, phase: AuditEntry['phase']): AuditEntry => ({
  kind: 'call',
  phase,
  call_id,
  time,
  ...(phase === 'begin' ? { server: 's' } : { outcome: 'ok' }),
});
const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => 'ok',
    (thrown: { code: string }) => thrown.code,
  );

let postgres: TestPostgres;
beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(() => postgres.stop());

async function openLog(url: string, clock: { now(): number }) {
  const dataDir = mkdtempSync(join(tmpdir(), 'bindery-audit-'));
  const writer = AuditWriter.open({ dataDir, node: 'a', clock, random });
  const database = await openDatabase(url, log);
  const audit = new ShippedAudit({ database, clock, log });
  await audit.ship(writer, dataDir);
  const state = { isSynced: false };
  return {
    state,
    dataDir,
    database,
    flush: () => audit.read(async () => {}),
    calls: audit.log(writer, () => state.isSynced),
    recorded: () => readAudit(dataDir, (reader) => reader.search({}, 100)).map(({ call_id }) => call_id),
    close: async () => {
      await audit.close();
      await database.close();
      await writer.close();
    },
  };
}

test('after a minute without the database no call is sent, and calls that were sent are recorded [gateway:R14] [gateway:R1]', async () => {
  const way = await postgres.cuttable(await postgres.newDatabase());
  const clock = { at: Date.parse(time), now: () => clock.at };
  const opened = await openLog(way.url, clock);
  await way.cut();
  const codes = [await codeOf(opened.calls.append(entry('running', 'begin')))];
  await opened.flush().catch(() => {});
  clock.at += 60_001;
  codes.push(
    await codeOf(opened.calls.append(entry('late', 'begin'))),
    await codeOf(opened.calls.append(entry('denied', 'single'))),
    await codeOf(opened.calls.append(entry('running', 'end'))),
  );
  await cutOff(opened.database);
  await way.mend();
  await opened.database.whenReachable();
  await opened.flush();
  codes.push(await codeOf(opened.calls.append(entry('after', 'begin'))));
  expect([codes, opened.recorded().sort()]).toEqual([
    ['ok', 'STORE_UNAVAILABLE', 'STORE_UNAVAILABLE', 'ok', 'ok'],
    ['after', 'running'],
  ]);
  await opened.close();
  await way.close();
});

test('with audit.sync "database" a record counts when the database has it; without it nothing leaves, and the log says so [gateway:R14]', async () => {
  const way = await postgres.cuttable(await postgres.newDatabase());
  const opened = await openLog(way.url, { now: Date.now });
  opened.state.isSynced = true;
  const there = new PostgresAudit(opened.database);
  await Promise.all(['x', 'y', 'z'].map((id) => opened.calls.append(entry(id, 'begin'))));
  const found = await there.search({}, 10);
  await way.cut();
  const code = await codeOf(opened.calls.append(entry('not sent', 'begin')));
  await cutOff(opened.database);
  await way.mend();
  await opened.database.whenReachable();
  await opened.flush();
  const [unsent] = await there.search({ call_id: 'not sent' }, 1);
  expect([found.map(({ call_id }) => call_id).sort(), code, unsent?.outcome]).toEqual([
    ['x', 'y', 'z'],
    'STORE_UNAVAILABLE',
    'interrupted',
  ]);
  await opened.close();
  await way.close();
});

/** Until the node itself has seen that the database is away. */
async function cutOff(database: Database): Promise<void> {
  while (database.isReachable) await new Promise((resolve) => setTimeout(resolve, 5));
}
