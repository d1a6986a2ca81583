import { copyFileSync, mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { AuditEntry } from '../../gateway/audit/audit-record.ts';
import { STORE_LIMITS as LIMITS } from '../limits.ts';
import { AuditFile } from './audit-file.ts';
import { readAudit } from './audit-reader.ts';
import { AuditReads } from './audit-reads.ts';
import { nodeOfFiles } from './slot-lock.ts';

let dataDir: string;
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'bindery-audit-reads-'));
});
afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

const TIME = '2026-11-16T00:00:00.000Z';
const entry = (call_id: string, more: Partial<AuditEntry> = {}): AuditEntry => ({
  kind: 'call',
  phase: 'single',
  call_id,
  time: TIME,
  ...more,
});
const open = (slot = 0) =>
  new AuditFile({ file: join(dataDir, `audit-${slot}.db`), chain: `local/${slot}`, fsync: false });

test('calls that ended behind a mark are read once, from the first record on, oldest first over all chains', () => {
  const [one, two] = [open(0), open(1)];
  one.append([entry('a', { time: '2026-11-16T00:00:02.000Z' })], []);
  two.append([entry('b', { time: '2026-11-16T00:00:01.000Z' }), entry('c', { phase: 'begin' })], []);
  const marks = new Map<string, number>();
  const ended = () => readAudit(dataDir, (reader) => reader.endedSince(marks).map(({ call_id }) => call_id));
  const seen = [ended(), ended()];
  two.append([entry('c', { phase: 'end', time: '2026-11-16T00:00:03.000Z' })], []);
  seen.push(ended());
  one.close();
  two.close();
  expect(seen).toEqual([['b', 'a'], [], ['c']]);
});

test('calls without an end are ended once; with ids, only these', () => {
  const file = open();
  file.append(
    ['a', 'b', 'c'].map((id) => entry(id, { phase: 'begin' })),
    [],
  );
  file.append([entry('c', { phase: 'end' })], []);
  const records = () => file.head.seq;
  const counts = [records()];
  file.endInterrupted(TIME, ['a', 'unknown']);
  counts.push(records());
  file.endInterrupted(TIME);
  counts.push(records());
  file.endInterrupted(TIME);
  counts.push(records());
  file.close();
  const outcomes = readAudit(dataDir, (reader) =>
    reader.search({}, 9).map(({ call_id, outcome }) => [call_id, outcome]),
  );
  expect([counts, outcomes.sort()]).toEqual([
    [4, 5, 6, 6],
    [
      ['a', 'interrupted'],
      ['b', 'interrupted'],
      ['c', undefined],
    ],
  ]);
});

test('a file whose commits checkpoint the WAL keeps it short, and one whose do not lets it grow', () => {
  const walPages = (isOn: boolean) => {
    const slot = isOn ? 0 : 1;
    const file = open(slot);
    file.setAutoCheckpoint(isOn);
    for (let commit = 0; commit < 8; commit += 1)
      file.append(
        Array.from({ length: 400 }, (_, index) => entry(`${commit} ${index}`, { name: 'x'.repeat(3_000) })),
        [],
      );
    const pages = statSync(join(dataDir, `audit-${slot}.db-wal`)).size / 4_096;
    file.close();
    return pages;
  };
  expect([
    walPages(true) < LIMITS.auditWalCheckpointPages * 2,
    walPages(false) > LIMITS.auditWalCheckpointPages * 2,
  ]).toEqual([true, true]);
});

test('the owner of a folder’s records is read without changing the folder, even after a killed process', () => {
  const file = open();
  file.append([entry('a')], []);
  const left = join(dataDir, 'left');
  mkdirSync(left);
  for (const name of ['audit-0.db', 'audit-0.db-wal']) copyFileSync(join(dataDir, name), join(left, name));
  file.close();
  const sizes = () => ['audit-0.db', 'audit-0.db-wal'].map((name) => statSync(join(left, name)).size);
  const before = sizes();
  const nodes = [nodeOfFiles(left, 'another'), nodeOfFiles(left, 'local'), nodeOfFiles(join(left, 'none'), '')];
  expect([nodes, sizes()]).toEqual([['local', undefined, undefined], before]);
});

test('a file that lost its table of records is reported as damaged, here and in a thread', async () => {
  const file = open(0);
  file.append([entry('a')], []);
  file.close();
  const database = new DatabaseSync(join(dataDir, 'audit-0.db'));
  database.exec('DROP TABLE records');
  database.close();
  const error = {
    code: 'STORE_UNAVAILABLE',
    detail: 'the audit file of chain local/0 is damaged: it has no table of records',
    next: expect.stringContaining('backup'),
  };
  expect(() => readAudit(dataDir, (reader) => reader.verify())).toThrow(expect.objectContaining(error));
  await expect(new AuditReads(dataDir).verify(new Map())).rejects.toMatchObject(error);
});

test('calls are found by part of the caller, client or tool name, ignoring case', () => {
  const file = open();
  const client = { name: 'Claude Code', version: '1' };
  file.append(
    [
      entry('a', { caller: 'key:ag14n6ch', client, server: 's', tool: 'write_note' }),
      entry('b', { caller: 'key:other', user: 'Alice', server: 's', tool: 'read_note' }),
      entry('c', { caller: 'local', server: 's', tool: 'delete' }),
      entry('d', { caller: 'local', user: 'Änne', server: 's', tool: 'Öffnen' }),
    ],
    [],
  );
  file.close();
  const found = (filter: object) =>
    readAudit(dataDir, (reader) => reader.search(filter, 9).map(({ call_id }) => call_id)).sort();
  const asked = [
    { who: 'key:AG' },
    { who: 'claude' },
    { who: 'alice, local' },
    { who: 'nobody' },
    { who: 'Änne' },
    { tool_part: 'NOTE' },
    { tool_part: 'ÖFFNEN' },
  ];
  expect(asked.map(found)).toEqual([['a'], ['a'], ['b', 'c', 'd'], [], ['d'], ['a', 'b'], ['d']]);
});
