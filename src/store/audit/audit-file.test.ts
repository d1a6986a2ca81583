import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { AuditFile } from './audit-file.ts';
import { readAudit } from './audit-reader.ts';
import { chainStates } from './resting-chains.ts';
import { nodeOfFiles, takeSlotOf } from './slot-lock.ts';

let dataDir: string;
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'bindery-audit-file-'));
});
afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

const fileOf = (slot: number) => join(dataDir, `audit-${slot}.db`);

/** Makes a database by hand. */
function make(slot: number, sql: string): void {
  const database = new DatabaseSync(fileOf(slot));
  database.exec(sql);
  database.close();
}

test('others ignore a chain that was not begun yet, and the next writer begins it', () => {
  writeFileSync(fileOf(0), '');
  make(1, 'PRAGMA journal_mode=WAL');
  make(2, 'CREATE TABLE chain (name TEXT NOT NULL)');
  new AuditFile({ file: fileOf(3), chain: 'far/3', fsync: false }).close();
  const seen = [
    chainStates(dataDir).map(({ slot, chain }) => [slot, chain]),
    readAudit(dataDir, (reader) => [reader.verify().ok, reader.heads().size, reader.search({}, 1)]),
    nodeOfFiles(dataDir, 'local'),
  ];
  const slot = takeSlotOf(dataDir, 'near');
  slot.release();
  const begun = new AuditFile({ file: fileOf(2), chain: 'near/2', fsync: false });
  begun.close();
  expect([seen, slot.slot, chainStates(dataDir).map(({ chain }) => chain)]).toEqual([
    [[[3, 'far/3']], [true, 0, []], 'far'],
    0,
    ['near/2', 'far/3'],
  ]);
});

test('records whose chain lost its name are not passed over', () => {
  make(
    0,
    'CREATE TABLE chain (name TEXT NOT NULL); CREATE TABLE records (seq INTEGER); INSERT INTO records VALUES (1)',
  );
  expect([() => chainStates(dataDir), () => readAudit(dataDir, (reader) => reader.verify())].map(messageOf)).toEqual([
    'an audit file has records and no name of their chain',
    'an audit file has records and no name of their chain',
  ]);
});

test('a chain is begun in one transaction: if a part fails, nothing is written', () => {
  make(0, 'CREATE TABLE settled (seq INTEGER NOT NULL CHECK (seq > 0))');
  expect(() => new AuditFile({ file: fileOf(0), chain: 'local/0', fsync: false })).toThrow('CHECK');
  const database = new DatabaseSync(fileOf(0), { readOnly: true });
  const tables = database.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all();
  database.close();
  expect([tables.map(({ name }) => name), chainStates(dataDir)]).toEqual([['settled'], []]);
});

function messageOf(attempt: () => unknown): string | undefined {
  try {
    attempt();
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}
