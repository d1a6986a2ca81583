import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setImmediate as turn, setTimeout as wait } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createMemoryLog } from '../../contract/testing/memory-log.ts';
import type { AuditEntry } from '../../gateway/audit/audit-record.ts';
import { parseExportLine } from '../../gateway/audit/chain.ts';
import { STORE_LIMITS } from '../limits.ts';
import { type AuditReader, readAudit } from './audit-reader.ts';
import { AuditWriter } from './audit-writer.ts';
import { chainStates } from './resting-chains.ts';

let dataDir: string;
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'bindery-audit-'));
});
afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

const clock = { now: () => Date.UTC(2026, 10, 15) };
const random = { bytes: (length: number) => new Uint8Array(length).fill(7) };
const open = (log = createMemoryLog()) => AuditWriter.open({ dataDir, node: 'local', clock, random, log });
const entry = (call_id: string, more: Partial<AuditEntry> = {}): AuditEntry => ({
  kind: 'call',
  phase: 'single',
  call_id,
  time: '2026-11-15T00:00:00.000Z',
  server: 's',
  tool: 't',
  outcome: 'ok',
  ...more,
});
const read = <T>(use: (reader: AuditReader) => T): T => readAudit(dataDir, use);

test('the log grows by the limit of a record, not by the size of the arguments, and keeps their digest', async () => {
  const writer = open();
  const texts = Array.from({ length: 15 }, () => 'x'.repeat(260_000));
  const digest = 'a'.repeat(64);
  await writer.append(entry('a', { arguments: { texts }, arguments_sha256: digest }));
  writer.close();
  const lines = read((reader) => [...reader.exportLines()]);
  expect(lines.join('').length).toBeLessThan(300_000);
  expect(lines.join('')).toContain(`"arguments_sha256":"${digest}"`);
  expect(lines.join('')).toContain('more characters)');
  expect(read((reader) => reader.verify()).ok).toBe(true);
});

test('entries appended in one turn are one transaction, in order, and a restart continues the chain [gateway:U6]', async () => {
  const first = open();
  await Promise.all([first.append(entry('a')), first.append(entry('b'))]);
  first.close();
  const second = open();
  await second.append(entry('c'));
  second.close();
  const report = read((reader) => reader.verify());
  expect([report.ok, report.records, report.chains[0]]).toMatchObject([
    true,
    3,
    { chain: 'local/0', first_seq: 1, last_seq: 3 },
  ]);
});

test('a file that is no database is named', () => {
  writeFileSync(join(dataDir, 'audit-0.db'), 'x'.repeat(200));
  expect(open).toThrow(
    expect.objectContaining({
      code: 'DATABASE_UNUSABLE',
      detail: `"${join(dataDir, 'audit-0.db')}" is not a SQLite database`,
    }),
  );
});

test('a second writer takes the next slot, and the slot is free again when the first is gone [gateway:U6]', () => {
  const [first, second] = [open(), open()];
  expect([first.chain, second.chain]).toEqual(['local/0', 'local/1']);
  first.close();
  const third = open();
  expect(third.chain).toBe('local/0');
  second.close();
  third.close();
});

test.each([false, true])(
  'nothing is written to a file that was moved away, and it goes on when the file is back (fsync: %s) [gateway:R1]',
  async (fsync) => {
    const log = createMemoryLog();
    const writer = open(log);
    writer.setFsync(fsync);
    await writer.append(entry('before'));
    const moved = `${writer.file}.moved`;
    renameSync(writer.file, moved);
    // What was seen a moment ago counts that long.
    await wait(STORE_LIMITS.auditLookEveryMs);
    const refused = [];
    for (const id of ['lost', 'lost too'])
      refused.push(await writer.append(entry(id)).then(String, ({ code, cause }) => [code, cause.message]));
    const isReady = await writer.isReady();
    renameSync(moved, writer.file);
    await wait(STORE_LIMITS.auditLookEveryMs);
    const isReadyAgain = await writer.isReady();
    await writer.append(entry('after'));
    await writer.close();
    const why = ['STORE_UNAVAILABLE', `"${writer.file}" was removed or replaced`];
    expect({ refused, isReady, isReadyAgain }).toEqual({ refused: [why, why], isReady: false, isReadyAgain: true });
    expect(log.lines.map(({ message }) => message)).toEqual([
      'the audit log cannot be written, and no call is sent',
      'the audit log is written again',
    ]);
    const calls = read((reader) => [...reader.exportLines()].map((line) => JSON.parse(line).call_id));
    expect([calls.at(0), calls.at(-1), calls.length]).toEqual(['before', 'after', 3]);
  },
);

test('begin and end are one call to people, and both stay in the chain [gateway:U9] [gateway:A1]', async () => {
  const writer = open();
  await writer.append(entry('x', { phase: 'begin', outcome: undefined as never, caller: 'me' }));
  await writer.append({
    kind: 'call',
    phase: 'end',
    call_id: 'x',
    time: '2026-11-15T00:00:01.000Z',
    outcome: 'tool_error',
    total_us: 5,
  });
  await writer.append(entry('y', { time: '2026-11-15T00:00:02.000Z' }));
  writer.close();
  expect(read((reader) => reader.search({ outcome: 'tool_error' }, 10))).toEqual([
    {
      chain: 'local/0',
      seq: 1,
      kind: 'call',
      call_id: 'x',
      time: '2026-11-15T00:00:00.000Z',
      server: 's',
      tool: 't',
      caller: 'me',
      outcome: 'tool_error',
      total_us: 5,
    },
  ]);
  expect(read((reader) => reader.search({ server: 's' }, 10).map(({ call_id }) => call_id))).toEqual(['y', 'x']);
  expect(read((reader) => reader.recordsOf('x').map(({ phase }) => phase))).toEqual(['begin', 'end']);
});

test('retention deletes a prefix, leaves a checkpoint, and the chain still verifies, twice over [gateway:U7]', async () => {
  const writer = open();
  for (const day of [1, 2, 3, 4]) await writer.append(entry(`d${day}`, { time: `2026-11-0${day}T00:00:00.000Z` }));
  expect(await writer.prune('2026-11-03T00:00:00.000Z')).toBe(2);
  expect(read((reader) => reader.verify())).toMatchObject({
    ok: true,
    records: 3,
    chains: [{ first_seq: 3, last_seq: 5 }],
  });
  expect(await writer.prune('2026-11-10T00:00:00.000Z')).toBe(2);
  writer.close();
  expect(read((reader) => reader.verify())).toMatchObject({
    ok: true,
    records: 2,
    chains: [{ first_seq: 5, last_seq: 6 }],
  });
});

test('an index column that was changed behind the text is found [gateway:U4]', async () => {
  const writer = open();
  await writer.append(entry('a'));
  writer.close();
  const database = new DatabaseSync(join(dataDir, 'audit-0.db'));
  database.exec("UPDATE records SET outcome = 'denied'");
  database.close();
  expect(read((reader) => reader.verify().first_bad)).toEqual({ chain: 'local/0', seq: 1, reason: 'index' });
});

/** Adds the beginnings and ends of so many calls, so that it is noted more than once up to where all have ended. */
async function addCalls(writer: AuditWriter, count: number): Promise<void> {
  for (const phase of ['begin', 'end'] as const)
    await Promise.all(Array.from({ length: count }, (_, index) => writer.append(entry(`call ${index}`, { phase }))));
}

test('a start ends calls that a crash left open, however long ago they began [gateway:U3]', async () => {
  const crashed = open();
  await crashed.append(entry('long ago', { phase: 'begin' }));
  for (const _ of [1, 2, 3]) await addCalls(crashed, STORE_LIMITS.auditSettleEvery / 2);
  await crashed.append(entry('lately', { phase: 'begin' }));
  copyFileSync(join(dataDir, 'audit-0.db'), join(dataDir, 'audit-1.db'));
  copyFileSync(join(dataDir, 'audit-0.db-wal'), join(dataDir, 'audit-1.db-wal'));
  const started = open();
  started.close();
  crashed.close();
  const lines = read((reader) => [...reader.exportLines()]).map((line) => JSON.parse(line));
  expect(lines.filter(({ outcome }) => outcome === 'interrupted').map(({ call_id }) => call_id)).toEqual([
    'long ago',
    'lately',
  ]);
});

test('the settled mark is written regularly and at the end, so that a start scans only later records', async () => {
  const crashed = open();
  await addCalls(crashed, STORE_LIMITS.auditSettleEvery);
  await crashed.append(entry('open', { phase: 'begin' }));
  const settled = () => new DatabaseSync(join(dataDir, 'audit-0.db')).prepare('SELECT seq FROM settled').get();
  const meanwhile = settled();
  crashed.close();
  expect([meanwhile, settled()]).toEqual([
    { seq: STORE_LIMITS.auditSettleEvery * 2 },
    { seq: STORE_LIMITS.auditSettleEvery * 2 },
  ]);
});

test('a log that cannot be written refuses, and goes on when it can be again [gateway:R1]', async () => {
  const writer = open();
  const blocker = new DatabaseSync(join(dataDir, 'audit-0.db'));
  blocker.exec("CREATE TRIGGER full BEFORE INSERT ON records BEGIN SELECT RAISE(ABORT, 'disk full'); END");
  await expect(writer.append(entry('a'))).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
  expect([writer.isWritable, await writer.isReady(), writer.head.seq]).toEqual([false, false, 0]);
  blocker.exec('DROP TRIGGER full');
  blocker.close();
  expect([await writer.isReady(), writer.isWritable, await writer.isReady()]).toEqual([true, true, true]);
  await writer.append(entry('b'));
  writer.close();
  // What was tried in between is said once, and nothing of what was refused is there.
  const records = read((reader) => [...reader.exportLines()].map((line) => JSON.parse(line)));
  expect(records.map(({ kind, action, call_id }) => [kind, action ?? call_id])).toEqual([
    ['system', 'resume'],
    ['call', 'b'],
  ]);
});

test.each([false, true])(
  'raw arguments are kept with the entry that is appended next, and not without one (fsync: %s)',
  async (fsync) => {
    const writer = open();
    writer.setFsync(fsync);
    writer.keepRaw({ callId: 'a', sealed: Uint8Array.of(1) });
    writer.keepRaw({ callId: 'b', sealed: Uint8Array.of(2) });
    await turn();
    const sealed = (id: string) => read((reader) => reader.sealedArguments(id)?.[0]);
    expect(sealed('a')).toBeUndefined();
    await writer.append(entry('a'));
    expect([sealed('a'), sealed('b'), sealed('c')]).toEqual([1, 2, undefined]);
    await writer.append(entry('c'));
    await writer.close();
    expect([sealed('a'), sealed('c')]).toEqual([1, undefined]);
  },
);

test.each([false, true])(
  'what was appended before a pruning is there when it begins, and the head is where it ended (fsync: %s)',
  async (fsync) => {
    const writer = open();
    writer.setFsync(fsync);
    const appended = ['a', 'b'].map((id) => writer.append(entry(id, { time: '2026-11-01T00:00:00.000Z' })));
    const pruned = await writer.prune('2026-11-02T00:00:00.000Z');
    await Promise.all(appended);
    await writer.append(entry('c'));
    const sized = await writer.pruneToBytes(1);
    const head = writer.head.seq;
    await writer.close();
    expect([pruned, sized, head, writer.head.seq]).toEqual([2, 2, 5, 5]);
    expect(read((reader) => reader.verify())).toMatchObject({ ok: true, chains: [{ first_seq: 5, last_seq: 5 }] });
  },
);

test('a thread that is being closed finishes its jobs before records are pruned here', async () => {
  const writer = open();
  writer.setFsync(true);
  const appended = writer.append(entry('a', { time: '2026-11-01T00:00:00.000Z' }));
  await turn();
  writer.setFsync(false);
  expect(await writer.prune('2026-11-02T00:00:00.000Z')).toBe(1);
  await appended;
  await writer.close();
  expect(read((reader) => reader.verify().ok)).toBe(true);
});

test('other chains are anchored by their heads alone', async () => {
  const writer = open();
  await writer.anchor(new Map([['far/0', { seq: 3, hash: 'h', text: 'left out' }]]));
  writer.close();
  expect(read((reader) => reader.search({}, 1))).toMatchObject([
    { kind: 'system', action: 'anchor', anchors: { 'far/0': { seq: 3, hash: 'h' } }, time: '2026-11-15T00:00:00.000Z' },
  ]);
  expect(read((reader) => reader.search({}, 1)[0]?.anchors?.['far/0'])).toEqual({ seq: 3, hash: 'h' });
});

test('a writer closes once, records no head without a registry, and accepts nothing afterwards', async () => {
  const log = createMemoryLog();
  const writer = open(log);
  await writer.noteHead();
  await Promise.all([writer.close(), writer.close()]);
  await expect(writer.append(entry('late'))).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
  expect(log.lines).toEqual([]);
  const next = open();
  expect(next.chain).toBe('local/0');
  await next.close();
});

test('a slot whose chain cannot be opened is free again', () => {
  mkdirSync(join(dataDir, 'audit-0.db'));
  expect(() => open()).toThrow();
  rmSync(join(dataDir, 'audit-0.db'), { recursive: true });
  const writer = open();
  expect(writer.chain).toBe('local/0');
  writer.close();
});

test('reading what a killed writer left does not change it', async () => {
  const writer = open();
  await writer.append(entry('a'));
  const left = join(dataDir, 'left');
  mkdirSync(left);
  const names = ['audit-0.db', 'audit-0.db-wal'];
  for (const name of names) copyFileSync(join(dataDir, name), join(left, name));
  await writer.close();
  const sizes = () => names.map((name) => statSync(join(left, name)).size);
  const before = sizes();
  const seen = [readAudit(left, (reader) => reader.verify().records), chainStates(left).map(({ lastSeq }) => lastSeq)];
  expect([seen, sizes()]).toEqual([[1, [1]], before]);
});

test('kill -9 at random moments loses nothing that was acknowledged, and open calls end as interrupted [gateway:U3]', async () => {
  const script = join(import.meta.dirname, 'testing', 'append-forever.ts');
  let acknowledged = 0;
  for (let round = 0; round < 5; round += 1) {
    const child = spawn(process.execPath, [script, dataDir], { stdio: ['ignore', 'pipe', 'inherit'] });
    let seen = '';
    child.stdout.on('data', (chunk) => {
      seen += chunk;
    });
    await once(child.stdout, 'data');
    await new Promise((resolve) => setTimeout(resolve, 20 + round * 17));
    child.kill('SIGKILL');
    await once(child, 'close');
    acknowledged += (seen.match(/\n/g) ?? []).length;
    const ids = seen.split('\n').slice(0, -1);
    expect(ids.filter((id) => read((reader) => reader.recordsOf(id).length) === 0)).toEqual([]);
  }
  open().close();
  const report = read((reader) => reader.verify());
  const lines = read((reader) => [...reader.exportLines()]);
  const records = lines.map((line) => JSON.parse(parseExportLine(line)?.text as string));
  const begun = new Set(records.filter(({ phase }) => phase === 'begin').map(({ call_id }) => call_id));
  const ended = new Set(records.filter(({ phase }) => phase === 'end').map(({ call_id }) => call_id));
  expect([report.ok, begun.size >= acknowledged, [...begun].filter((id) => !ended.has(id))]).toEqual([true, true, []]);
  expect(acknowledged).toBeGreaterThan(10);
});

test('the file is readable by its owner alone, unless its owner opened it to others', () => {
  const file = join(dataDir, 'audit-0.db');
  const modes = [0o600, 0o640].map((mode) => {
    open().close();
    const found = statSync(file).mode & 0o777;
    chmodSync(file, 0o640);
    return found === mode;
  });
  expect(modes).toEqual([true, true]);
});
