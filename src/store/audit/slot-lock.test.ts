import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { AuditEntry } from '../../gateway/audit/audit-record.ts';
import { STORE_LIMITS as LIMITS } from '../limits.ts';
import { AuditFile } from './audit-file.ts';
import { readAudit } from './audit-reader.ts';
import { chainStates, openRestingChain } from './resting-chains.ts';
import { holdEverySlot, nodeOfFiles, type Slot, takeSlot, takeSlotOf, tryTakeSlot } from './slot-lock.ts';

let dataDir: string;
let held: Slot[];
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'bindery-slots-'));
  held = [];
});
afterEach(() => {
  for (const slot of held) slot.release();
  rmSync(dataDir, { recursive: true, force: true });
});

const hold = (slot: Slot): number => {
  held.push(slot);
  return slot.slot;
};
const entry = (call_id: string, phase: AuditEntry['phase'] = 'single'): AuditEntry => {
  return { kind: 'call', phase, call_id, time: '2026-11-17T00:00:00.000Z' };
};
function begin(slot: number, node: string, ...entries: AuditEntry[]): void {
  const file = new AuditFile({ file: join(dataDir, `audit-${slot}.db`), chain: `${node}/${slot}`, fsync: false });
  if (entries.length > 0) file.append(entries, []);
  file.close();
}

test('the lowest free slot is taken, and a released one is free again', () => {
  expect([hold(takeSlot(dataDir)), hold(takeSlot(dataDir)), tryTakeSlot(dataDir, 1)]).toEqual([0, 1, undefined]);
  held.shift()?.release();
  expect([hold(takeSlot(dataDir)), hold(takeSlot(dataDir))]).toEqual([0, 2]);
});

test('a node takes the lowest slot that is its own or unused, and releases the others it tried', () => {
  begin(0, 'far');
  begin(1, 'near');
  expect([hold(takeSlotOf(dataDir, 'near')), hold(takeSlotOf(dataDir, 'near'))]).toEqual([1, 2]);
  expect(hold(takeSlotOf(dataDir, 'far'))).toBe(0);
});

test('folders are made for their owner alone, however deep', () => {
  const makers = [takeSlot, (folder: string) => takeSlotOf(folder, 'n'), holdEverySlot];
  const modes = makers.map((make, index) => {
    const folder = join(dataDir, `${index}`, 'deep');
    const made = make(folder);
    const mode = statSync(folder).mode & 0o777;
    if (typeof made === 'function') made();
    else made?.release();
    return mode;
  });
  expect(modes).toEqual([0o700, 0o700, 0o700]);
});

test('all slots are locked or none: if one is held, the others are released', () => {
  hold(tryTakeSlot(dataDir, 0) as Slot);
  hold(tryTakeSlot(dataDir, 3) as Slot);
  writeFileSync(join(dataDir, 'audit-x.lock'), '');
  expect(holdEverySlot(dataDir)).toBeUndefined();
  held.shift()?.release();
  expect(holdEverySlot(dataDir)).toBeUndefined();
  // Nothing is left behind of the attempt.
  expect(hold(tryTakeSlot(dataDir, 0) as Slot)).toBe(0);
  for (const slot of held.splice(0)) slot.release();
  const release = holdEverySlot(dataDir);
  expect([release, tryTakeSlot(dataDir, 0), tryTakeSlot(dataDir, 3)]).toEqual([
    expect.any(Function),
    undefined,
    undefined,
  ]);
  release?.();
  expect([hold(tryTakeSlot(dataDir, 0) as Slot), hold(tryTakeSlot(dataDir, 3) as Slot)]).toEqual([0, 3]);
});

test('an empty folder has a slot to hold', () => {
  const release = holdEverySlot(dataDir);
  expect([release, tryTakeSlot(dataDir, 0)]).toEqual([expect.any(Function), undefined]);
  release?.();
});

test('no slot is left beyond the last', () => {
  const limits = LIMITS as { auditSlotsMax: number };
  const before = limits.auditSlotsMax;
  limits.auditSlotsMax = 3;
  try {
    expect([0, 1, 2].map(() => hold(takeSlot(dataDir)))).toEqual([0, 1, 2]);
    expect(() => takeSlot(dataDir)).toThrow('all 3 audit slots are taken');
    expect(() => takeSlotOf(dataDir, 'n')).toThrow('all 3 audit slots are taken');
    held.pop()?.release();
    expect(hold(takeSlotOf(dataDir, 'n'))).toBe(2);
  } finally {
    limits.auditSlotsMax = before;
  }
});

test('records are of the first node that has a name', () => {
  begin(0, 'unnamed');
  expect(nodeOfFiles(dataDir, 'unnamed')).toBeUndefined();
  begin(1, 'far');
  writeFileSync(join(dataDir, 'audit-2.db.bak'), 'no database');
  expect(nodeOfFiles(dataDir, 'unnamed')).toBe('far');
});

test('chains are listed by slot number, with their content', () => {
  begin(10, 'b', entry('a'), entry('b'));
  begin(2, 'a');
  writeFileSync(join(dataDir, 'audit-3.db-old'), '');
  const states = chainStates(dataDir);
  expect(states.map(({ slot, chain, lastSeq }) => [slot, chain, lastSeq])).toEqual([
    [2, 'a/2', 0],
    [10, 'b/10', 2],
  ]);
  expect(states.map(({ slot, bytes }) => statSync(join(dataDir, `audit-${slot}.db`)).size === bytes)).toEqual([
    true,
    true,
  ]);
});

test('a chain whose writer is gone is opened to be looked after, which ends its calls; a living one is left alone', async () => {
  begin(0, 'local', entry('open', 'begin'));
  const options = {
    ...{ dataDir, node: 'local', clock: { now: () => 0 } },
    random: { bytes: (length: number) => new Uint8Array(length) },
  };
  const writer = openRestingChain(options, 0);
  expect([writer?.chain, openRestingChain(options, 0)]).toEqual(['local/0', undefined]);
  await writer?.close();
  const calls = readAudit(dataDir, (reader) => reader.search({}, 9));
  expect(calls).toMatchObject([{ call_id: 'open', outcome: 'interrupted' }]);
});

test('a file whose writer was killed in mid-write is read, and its slot is taken', () => {
  const file = join(dataDir, 'audit-0.db');
  // A small cache, so that pages are written before the transaction ends.
  const script = `
    const { DatabaseSync } = require('node:sqlite');
    const database = new DatabaseSync(${JSON.stringify(file)});
    database.exec('PRAGMA cache_size = 1; CREATE TABLE kept (text TEXT); BEGIN');
    const insert = database.prepare('INSERT INTO kept VALUES (?)');
    for (let row = 0; row < 200; row += 1) insert.run('x'.repeat(2000));
    process.kill(process.pid, 'SIGKILL');`;
  expect(spawnSync(process.execPath, ['-e', script]).signal).toBe('SIGKILL');
  expect(existsSync(`${file}-journal`)).toBe(true);
  expect([nodeOfFiles(dataDir, 'unnamed'), chainStates(dataDir), hold(takeSlotOf(dataDir, 'here'))]).toEqual([
    undefined,
    [],
    0,
  ]);
  expect(existsSync(`${file}-journal`)).toBe(false);
});
