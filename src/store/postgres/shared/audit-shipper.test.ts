import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { createMemoryLog } from '../../../contract/testing/memory-log.ts';
import type { AuditEntry } from '../../../gateway/audit/audit-record.ts';
import { readAudit } from '../../audit/audit-reader.ts';
import { AuditWriter } from '../../audit/audit-writer.ts';
import { takeSlotOf } from '../../audit/slot-lock.ts';
import { type Database, openDatabase } from '../open-database.ts';
import { startPostgres, type TestPostgres } from '../testing/start-postgres.ts';
import { until } from '../testing/until.ts';
import { AuditShipper } from './audit-shipper.ts';
import { PostgresAudit } from './postgres-audit.ts';

const log = createMemoryLog();
const random = { bytes: (length: number) => crypto.getRandomValues(new Uint8Array(length)) };
const clock = { at: Date.parse('2026-10-01T12:00:00.000Z'), now: () => clock.at };

let postgres: TestPostgres;
const ends: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  postgres = await startPostgres();
});
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});
afterAll(() => postgres.stop());

const newDir = () => mkdtempSync(join(tmpdir(), 'bindery-audit-'));
const databaseOf = async (url: string) => {
  const database = await openDatabase(url, log);
  ends.push(() => database.close());
  return database;
};
const writerOf = (dataDir: string, node: string) => {
  const writer = AuditWriter.open({ dataDir, node, clock, random }, takeSlotOf(dataDir, node));
  ends.push(async () => writer.close());
  return writer;
};
const shipperOf = async (writer: AuditWriter, database: Database, dataDir: string) => {
  const shipper = await AuditShipper.open(writer, { database, dataDir, clock, log });
  ends.push(() => shipper.close());
  return shipper;
};
const record = (writer: AuditWriter, id: string, more: Partial<AuditEntry> = {}) =>
  writer.append({
    kind: 'call',
    phase: 'single',
    call_id: id,
    time: new Date(clock.now()).toISOString(),
    outcome: 'ok',
    ...more,
  });
const linesOf = (dataDir: string) => readAudit(dataDir, (reader) => [...reader.exportLines()]);

test('the database has the chains of all nodes, the bytes of their files, and verifies them [gateway:A23] [gateway:U4]', async () => {
  const url = await postgres.newDatabase();
  const [a, b] = [newDir(), newDir()];
  const database = await databaseOf(url);
  const writers = [writerOf(a, 'a'), writerOf(a, 'a'), writerOf(b, 'b')] as const;
  for (const writer of writers) {
    await record(writer, `begun by ${writer.chain}`, { phase: 'begin', server: 's', tool: 'odd \u0000 name' });
    await record(writer, `begun by ${writer.chain}`, { phase: 'end' });
  }
  for (const [writer, dir] of [
    [writers[0], a],
    [writers[2], b],
  ] as const)
    await (await shipperOf(writer, database, dir)).flush();
  const audit = new PostgresAudit(database);
  const report = await audit.verify();
  expect([
    await audit.lines(),
    report.ok,
    report.chains.map(({ chain, last_seq }) => [chain, last_seq]),
    (await audit.search({ server: 's' }, 10)).map(({ chain, outcome }) => [chain, outcome]).sort(),
    (await audit.recordsOf('begun by b/0')).map(({ phase }) => phase),
    (await audit.search({ tool: 'odd \u0000 name' }, 10)).length,
  ]).toEqual([
    [...linesOf(a), ...linesOf(b)],
    true,
    [
      ['a/0', 2],
      ['a/1', 2],
      ['b/0', 2],
    ],
    [
      ['a/0', 'ok'],
      ['a/1', 'ok'],
      ['b/0', 'ok'],
    ],
    ['begin', 'end'],
    3,
  ]);
});

test('what is changed in the database is found, and so is a tail that another chain has noted [gateway:U5] [gateway:U6]', async () => {
  const url = await postgres.newDatabase();
  const [a, b] = [newDir(), newDir()];
  const database = await databaseOf(url);
  const [one, two] = [writerOf(a, 'a'), writerOf(b, 'b')];
  for (let count = 0; count < 5; count += 1) await record(one, `call ${count}`, { server: 's' });
  await (await shipperOf(one, database, a)).flush();
  const audit = new PostgresAudit(database);
  await two.anchor(await audit.heads());
  await (await shipperOf(two, database, b)).flush();
  const badAfter = async (change: string, undo: string) => {
    await database.query(change);
    const { first_bad } = await audit.verify();
    await database.query(undo);
    return first_bad && [first_bad.chain, first_bad.seq, first_bad.reason];
  };
  const at = (seq: number) => `WHERE chain = 'a/0' AND seq = ${seq}`;
  await database.query('CREATE TABLE kept AS SELECT * FROM audit_records');
  const putBack = 'INSERT INTO audit_records SELECT * FROM kept ON CONFLICT DO NOTHING';
  expect([
    await badAfter(
      `UPDATE audit_records SET text = replace(text, 'ok', 'no') ${at(2)}`,
      `DELETE FROM audit_records ${at(2)}`,
    ),
    await badAfter(`SELECT 1`, putBack),
    await badAfter(`UPDATE audit_records SET server = 'x' ${at(3)}`, `UPDATE audit_records SET server = 's' ${at(3)}`),
    await badAfter(`DELETE FROM audit_records ${at(5)}`, putBack),
    await badAfter('SELECT 1', 'SELECT 1'),
  ]).toEqual([['a/0', 2, 'hash'], ['a/0', 2, 'gap'], ['a/0', 3, 'index'], ['a/0', 4, 'head'], null]);
});

test('the end of a chain is noted apart from its records: a cut tail and a chain that is gone are found, and a node puts them back [gateway:U5]', async () => {
  const url = await postgres.newDatabase();
  const dir = newDir();
  const database = await databaseOf(url);
  const audit = new PostgresAudit(database);
  const seen = async () => {
    const { first_bad, chains } = await audit.verify();
    return first_bad ? [first_bad.seq, first_bad.reason] : chains.map(({ end, end_seq }) => [end, end_seq]);
  };
  const shipped = async (...ids: string[]) => {
    const writer = AuditWriter.open({ dataDir: dir, node: 'a', clock, random }, takeSlotOf(dir, 'a'));
    for (const id of ids) await record(writer, id);
    const shipper = await AuditShipper.open(writer, { database, dataDir: dir, clock, log });
    await shipper.close();
    await writer.close();
    return seen();
  };
  expect(await shipped('one', 'two', 'three')).toEqual([['registry', 3]]);
  await database.query('DELETE FROM audit_records WHERE seq = 3');
  expect(await seen()).toEqual([2, 'head']);
  // The note waits until the record that it names is there again.
  expect(await shipped('four')).toEqual([['registry', 3]]);
  expect(await shipped('five')).toEqual([['registry', 5]]);
  await database.query('DELETE FROM audit_records');
  expect(await seen()).toEqual([0, 'missing_chain']);
  expect(await shipped()).toEqual([['registry', 5]]);
  await database.query('DELETE FROM audit_records WHERE seq > 1');
  // A node that has only the cut chain goes on with it, and what was noted before stays.
  const file = new DatabaseSync(join(dir, 'audit-0.db'));
  file.exec('DELETE FROM records WHERE seq > 1');
  file.close();
  expect(await shipped('x', 'y', 'z', 'more', 'and more')).toEqual([5, 'head']);
});

test('pruned records leave their head recorded, even if they were pruned before they were shipped [gateway:U7]', async () => {
  const url = await postgres.newDatabase();
  const dir = newDir();
  const database = await databaseOf(url);
  const writer = writerOf(dir, 'a');
  const shipper = await shipperOf(writer, database, dir);
  const later = new Date(clock.now() + 1).toISOString();
  for (const id of ['one', 'two']) await record(writer, id);
  await shipper.flush();
  await record(writer, 'three');
  await writer.prune(later);
  await shipper.flush();
  const { ok, chains } = await new PostgresAudit(database).verify();
  expect([ok, chains]).toMatchObject([true, [{ first_seq: 4, last_seq: 4, end: 'registry', end_seq: 4 }]]);
});

test('a process that is killed at any moment loses nothing and ships nothing twice [gateway:A23] [gateway:R14]', async () => {
  const url = await postgres.newDatabase();
  const dir = newDir();
  const script = join(import.meta.dirname, 'testing', 'ship-forever.ts');
  const acknowledged: string[] = [];
  for (let round = 0; round < 4; round += 1) {
    const child = spawn(process.execPath, [script, dir, url], { stdio: ['ignore', 'pipe', 'inherit'] });
    let seen = '';
    child.stdout.on('data', (chunk) => {
      seen += chunk;
    });
    await once(child.stdout, 'data');
    await new Promise((resolve) => setTimeout(resolve, 60 + round * 37));
    child.kill('SIGKILL');
    await once(child, 'close');
    acknowledged.push(...seen.split('\n').slice(0, -1));
  }
  const database = await databaseOf(url);
  const before = await new PostgresAudit(database).lines();
  const file = linesOf(dir);
  const writer = writerOf(dir, 'a');
  await (await shipperOf(writer, database, dir)).flush();
  const audit = new PostgresAudit(database);
  const lines = await audit.lines();
  const ids = new Set((await audit.search({}, lines.length)).map(({ call_id }) => call_id));
  expect([
    before.length > 0 && before.length < file.length,
    file.slice(0, before.length).join() === before.join(),
    lines.join() === linesOf(dir).join(),
    acknowledged.filter((id) => !ids.has(id)),
    (await audit.verify()).ok,
  ]).toEqual([true, true, true, [], true]);
});

test('groups of outcomes are found in the database as in a file', async () => {
  const [dir, database] = [newDir(), await databaseOf(await postgres.newDatabase())];
  const writer = writerOf(dir, 'a');
  await record(writer, 'went well', { profile: 'p' });
  await record(writer, 'failed', { profile: 'p', outcome: 'upstream_error' });
  await record(writer, 'no time', { profile: 'p', outcome: 'denied', rule: { rule: 'approval_pending' } });
  await record(writer, 'said no', { profile: 'p', outcome: 'denied', rule: { rule: 'approval_denied' } });
  await record(writer, 'no rule', { profile: 'p', outcome: 'denied', name: 'odd \u0000 \\u0000 \ud800' });
  await (await shipperOf(writer, database, dir)).flush();
  const audit = new PostgresAudit(database);
  const found = async (outcome: string) => {
    const ids = [
      (await audit.search({ outcome, profiles: ['p'] }, 10)).map(({ call_id }) => call_id),
      readAudit(dir, (reader) => reader.search({ outcome }, 10)).map(({ call_id }) => call_id),
    ];
    return ids.map((one) => one.sort());
  };
  expect([await found('failed'), await found('refused'), await found('undecided')]).toEqual([
    [['failed'], ['failed']],
    [
      ['no rule', 'said no'],
      ['no rule', 'said no'],
    ],
    [['no time'], ['no time']],
  ]);
});

test('calls are found in the database by a part of who called or of the tool, as in a file', async () => {
  const dir = newDir();
  const database = await databaseOf(await postgres.newDatabase());
  const writer = writerOf(dir, 'a');
  const named = (name: string) => ({ client: { name, version: '1' } });
  await record(writer, 'a', { caller: 'key:ag14n6ch', ...named('Claude Code'), server: 's', tool: 'write_note' });
  await record(writer, 'b', { caller: 'key:other', user: 'Alice', server: 's', tool: 'read_note' });
  await record(writer, 'c', { caller: 'local', user: 'Änne', server: 's', tool: 'Öffnen' });
  await record(writer, 'd', { caller: 'local', ...named('odd \u0000\ud800 Name'), server: 's', tool: 'delete' });
  await (await shipperOf(writer, database, dir)).flush();
  const audit = new PostgresAudit(database);
  for (const [filter, ids] of [
    [{ who: 'key:AG' }, ['a']],
    [{ who: 'claude' }, ['a']],
    [{ who: 'alice, local' }, ['b', 'c', 'd']],
    [{ who: 'nobody' }, []],
    [{ who: 'Änne' }, ['c']],
    [{ who: 'ODD' }, ['d']],
    [{ who: 'odd \u0000' }, ['d']],
    [{ tool_part: 'NOTE' }, ['a', 'b']],
    [{ tool_part: 'ÖFFNEN' }, ['c']],
    [{ who: 'alice', tool_part: 'write' }, []],
  ] as const) {
    const inFile = readAudit(dir, (reader) => reader.search(filter, 9).map(({ call_id }) => call_id)).sort();
    const inDatabase = (await audit.search(filter, 9)).map(({ call_id }) => call_id).sort();
    expect([filter, inDatabase, inFile]).toEqual([filter, ids, ids]);
  }
});

test('calls go on without the database for a minute, then nothing leaves, until it is back [gateway:R14]', async () => {
  const url = await postgres.newDatabase();
  const way = await postgres.cuttable(url);
  const dir = newDir();
  const database = await databaseOf(way.url);
  const writer = writerOf(dir, 'a');
  const shipper = await shipperOf(writer, database, dir);
  await way.cut();
  await record(writer, 'meanwhile');
  const failed = await shipper.flush().then(String, (thrown: { code: string }) => thrown.code);
  await until(() => !database.isReachable);
  const states = [shipper.isBehind];
  clock.at += 60_000;
  states.push(shipper.isBehind);
  clock.at += 1;
  states.push(shipper.isBehind);
  await way.mend();
  await until(() => !shipper.isBehind);
  expect([failed, states, shipper.shippedSeq]).toEqual(['STORE_UNAVAILABLE', [false, false, true], writer.head.seq]);
  await way.close();
});

test('a retention prunes the copy too, and what was pruned before it was shipped leaves no gap [gateway:U7]', async () => {
  const url = await postgres.newDatabase();
  const dir = newDir();
  const database = await databaseOf(url);
  const writer = writerOf(dir, 'a');
  const audit = new PostgresAudit(database);
  const shipper = await shipperOf(writer, database, dir);
  for (let count = 0; count < 4; count += 1) await record(writer, `old ${count}`);
  await shipper.flush();
  const pruneAll = async () => {
    clock.at += 60_000;
    await record(writer, 'fresh');
    await writer.prune(new Date(clock.at).toISOString());
  };
  await pruneAll();
  await shipper.flush();
  const first = [await audit.lines(), (await audit.verify()).ok];
  await shipper.close();
  for (let count = 0; count < 4; count += 1) await record(writer, `unshipped ${count}`);
  await pruneAll();
  await (await shipperOf(writer, database, dir)).flush();
  expect([first, await audit.lines(), (await audit.verify()).ok]).toEqual([
    [expect.any(Array), true],
    linesOf(dir),
    true,
  ]);
  expect((first[0] as string[]).length).toBe(2);
});

test('two nodes of one name cannot mix their chains: the second is refused', async () => {
  const url = await postgres.newDatabase();
  const [a, b] = [newDir(), newDir()];
  const database = await databaseOf(url);
  const [one, two] = [writerOf(a, 'a'), writerOf(b, 'a')];
  await record(one, 'one');
  await (await shipperOf(one, database, a)).flush();
  await record(two, 'two');
  const refused = await shipperOf(two, database, b).then(String, (thrown: { code: string }) => thrown.code);
  const late = newDir();
  const third = writerOf(late, 'c');
  const shipper = await shipperOf(third, database, late);
  await database.query("INSERT INTO audit_records(chain, seq, hash, text) VALUES ('c/0', 1, 'x', 'y')");
  await record(third, 'three');
  const later = await shipper.flush().then(String, (thrown: { code: string }) => thrown.code);
  // Whoever waits for the database to have a record that it never gets is told so.
  const waiting = await shipper.until(third.head.seq).then(String, (thrown: { code: string }) => thrown.code);
  expect([refused, later, waiting, (await new PostgresAudit(database).recordsOf('two')).length]).toEqual([
    'NODE_NAME_TAKEN',
    'NODE_NAME_TAKEN',
    'STORE_UNAVAILABLE',
    0,
  ]);
});

test('a node takes no chain that has another name, and begins one of its own beside it [gateway:U6]', () => {
  const dir = newDir();
  AuditWriter.open({ dataDir: dir, node: 'local', clock, random }).close();
  expect(writerOf(dir, 'a').chain).toBe('a/1');
});
