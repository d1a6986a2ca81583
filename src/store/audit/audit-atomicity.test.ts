import { mkdtempSync, readdirSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { AuditEntry } from '../../gateway/audit/audit-record.ts';
import { chainEntry } from '../../gateway/audit/chain.ts';
import { STORE_LIMITS as LIMITS } from '../limits.ts';
import { AuditFile } from './audit-file.ts';
import { AuditReader, readAudit } from './audit-reader.ts';
import { chainStates } from './resting-chains.ts';

let dataDir: string;
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'bindery-audit-atomicity-'));
});
afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

const TIME = '2026-11-17T00:00:00.000Z';
const STAMP = { call_id: 'prune', time: TIME };
const entry = (call_id: string, more: Partial<AuditEntry> = {}): AuditEntry => {
  return { kind: 'call', phase: 'single', call_id, time: TIME, ...more };
};
const pathOf = (slot: number) => join(dataDir, `audit-${slot}.db`);
const open = (slot = 0, fsync = false) => new AuditFile({ file: pathOf(slot), chain: `local/${slot}`, fsync });

/** Changes the file, or asks it something, beside whoever writes it. */
function beside(sql: string): unknown {
  const database = new DatabaseSync(pathOf(0));
  const answer = database.prepare(sql).get();
  database.close();
  return answer && Object.values(answer)[0];
}
const refuse = (event: string) =>
  beside(`CREATE TRIGGER refuse BEFORE ${event} BEGIN SELECT RAISE(ABORT, 'refused'); END`);
const callsOf = () => readAudit(dataDir, (reader) => [...reader.exportLines()].map((line) => JSON.parse(line).call_id));

test('a pruning of which a part fails leaves every record, and no checkpoint [gateway:U7]', () => {
  const file = open();
  file.append([entry('a'), entry('b')], [{ callId: 'a', sealed: Uint8Array.of(1) }]);
  const before = file.head;
  for (const event of ['DELETE ON records', 'DELETE ON raw_arguments']) {
    refuse(event);
    expect(() => file.prune('2027-01-01T00:00:00.000Z', STAMP)).toThrow('refused');
    beside('DROP TRIGGER refuse');
  }
  expect([file.head, callsOf()]).toEqual([before, ['a', 'b']]);
  expect(file.prune('2027-01-01T00:00:00.000Z', STAMP)).toBe(2);
  file.close();
});

test('a record whose raw arguments cannot be kept is not there either', () => {
  const file = open();
  refuse('INSERT ON raw_arguments');
  expect(() => file.append([entry('a')], [{ callId: 'a', sealed: Uint8Array.of(1) }])).toThrow('refused');
  file.append([entry('b')], []);
  file.close();
  expect([file.head.seq, callsOf()]).toEqual([1, ['b']]);
});

test('a record is not written if the settled mark cannot be written with it', () => {
  const file = open();
  file.append(
    Array.from({ length: LIMITS.auditSettleEvery }, (_, at) => entry(`c${at}`)),
    [],
  );
  refuse('UPDATE ON settled');
  expect(() => file.append([entry('last')], [])).toThrow('refused');
  expect([file.head.seq, beside('SELECT MAX(seq) FROM records')]).toEqual([
    LIMITS.auditSettleEvery,
    LIMITS.auditSettleEvery,
  ]);
  beside('DROP TRIGGER refuse');
  file.close();
});

test('a file that is opened again and again has one name and one note, and is noted to its end when it is closed', () => {
  for (const id of ['a', 'b', 'c']) {
    const file = open();
    file.append([entry(id)], []);
    file.close();
  }
  const counts = ['COUNT(*) FROM chain', 'COUNT(*) FROM settled', 'seq FROM settled'].map((of) =>
    beside(`SELECT ${of}`),
  );
  expect(counts).toEqual([1, 1, 3]);
});

test('a call that another connection ended is not open here after readEnd', () => {
  const [one, two] = [open(), open()];
  one.append([entry('a', { phase: 'begin' }), entry('b', { phase: 'begin' })], []);
  two.readEnd();
  two.append([entry('a', { phase: 'end' }), entry('b', { phase: 'end' })], []);
  two.close();
  one.readEnd();
  one.endInterrupted(TIME);
  expect(one.head.seq).toBe(4);
  one.append([entry('c', { phase: 'begin' })], []);
  one.close();
  expect(beside('SELECT seq FROM settled')).toBe(4);
});

test('each commit waits for the disk if fsync is requested', () => {
  const exec = vi.spyOn(DatabaseSync.prototype, 'exec');
  const synchronous = [true, false].map((fsync) => {
    exec.mockClear();
    open(0, fsync).close();
    return exec.mock.calls.flatMap(([sql]) => /synchronous=(\w+)/.exec(sql)?.[1] ?? []);
  });
  exec.mockRestore();
  expect(synchronous).toEqual([['FULL'], ['NORMAL']]);
});

/** Files of the data directory that this process has open, where the system tells. */
function openFiles(): string[] {
  if (process.platform !== 'linux') return [];
  return readdirSync('/proc/self/fd').flatMap((name) => {
    try {
      const file = readlinkSync(join('/proc/self/fd', name));
      return file.startsWith(dataDir) ? [file] : [];
    } catch {
      // The one that the list was read by.
      return [];
    }
  });
}

test('a reader leaves no file open, of a begun chain or of another', () => {
  open(0).close();
  writeFileSync(pathOf(1), '');
  readAudit(dataDir, (reader) => expect(reader.heads().size).toBe(0));
  expect(() =>
    readAudit(dataDir, () => {
      throw new Error('no');
    }),
  ).toThrow('no');
  expect([chainStates(dataDir).map(({ slot }) => slot), openFiles()]).toEqual([[0], []]);
});

test('chains are listed by slot number, with the bytes of their records', () => {
  for (const slot of [10, 2]) {
    const file = open(slot);
    file.append(
      Array.from({ length: 50 * slot }, (_, at) => entry(`${at}`, { name: 'x'.repeat(1_000) })),
      [],
    );
    file.prune(slot === 2 ? '' : '2027', STAMP);
    const state = chainStates(dataDir).find((one) => one.slot === slot);
    expect(state).toEqual({ slot, chain: `local/${slot}`, lastSeq: file.head.seq, bytes: file.usedBytes() });
    file.close();
  }
  expect(chainStates(dataDir).map(({ slot }) => slot)).toEqual([2, 10]);
});

test('a folder that is not there has nothing to read, and a file from before raw arguments has none', () => {
  expect(readAudit(join(dataDir, 'none'), (reader) => [reader.verify().records, reader.search({}, 1)])).toEqual([
    0,
    [],
  ]);
  const file = open();
  file.append([entry('a')], [{ callId: 'a', sealed: Uint8Array.of(1) }]);
  file.close();
  const sealed = () => readAudit(dataDir, (reader) => reader.sealedArguments('a'));
  const before = sealed();
  beside('DROP TABLE raw_arguments');
  expect([before, sealed()]).toEqual([Uint8Array.of(1), undefined]);
});

test('an export ends if the rest of it is pruned meanwhile', () => {
  const file = open();
  file.append(
    Array.from({ length: LIMITS.auditExportRows + 1 }, (_, at) => entry(`c${at}`)),
    [],
  );
  const reader = new AuditReader(dataDir);
  const batches = reader.exportBatches();
  const first = batches.next().value;
  file.prune('2027', STAMP);
  expect([first?.length, batches.next().done]).toEqual([LIMITS.auditExportRows, true]);
  reader.close();
  file.close();
});

/** Records whose texts are so long, to the character. */
function appendSized(file: AuditFile, ...chars: readonly number[]): void {
  for (const wanted of chars) {
    const id = `sized ${file.head.seq + 1}`;
    const sized = (filler: number) => entry(id, { name: 'x'.repeat(filler) });
    const empty = chainEntry(file.chain, file.head, sized(0)).text.length;
    expect(file.append([sized(wanted - empty)], [])).toBe(wanted);
  }
}

test('records that are together as long as a batch or a page may be are all in it, and a character more is too much', () => {
  const half = LIMITS.auditExportChars / 2;
  const file = open();
  appendSized(file, half, half, half, half + 1, 1_000);
  const sizes = readAudit(dataDir, (reader) => Array.from(reader.exportBatches(), ({ length }) => length));
  file.prune('2027', STAMP);
  appendSized(file, LIMITS.auditPageChars - 2_000, 1_000, 1_000, 1_000);
  file.close();
  const omitted = (limit: number, offset: number) =>
    readAudit(dataDir, (reader) =>
      reader.search({ kind: 'call' }, limit, offset).map(({ arguments_omitted }) => arguments_omitted === true),
    );
  // Two that fill a batch do not end it: the next one does.
  expect([sizes, omitted(3, 1), omitted(4, 0)]).toEqual([
    [3, 2],
    [false, false, false],
    [false, false, false, true],
  ]);
});
