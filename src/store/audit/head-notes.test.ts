import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createMemoryLog } from '../../contract/testing/memory-log.ts';
import type { AuditEntry } from '../../gateway/audit/audit-record.ts';
import { openDatabase } from '../open-database.ts';
import { readAudit } from './audit-reader.ts';
import { AuditWriter } from './audit-writer.ts';
import { HeadNotes, readRegistryHeads } from './head-notes.ts';
import { appendHeads, headsFilePath, readHeadsFile } from './heads-file.ts';

let dataDir: string;
let registryFile: string;
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'bindery-heads-'));
  registryFile = join(dataDir, 'registry.db');
  openDatabase(registryFile).close();
});
afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

const clock = { now: Date.now };
const random = { bytes: (length: number) => crypto.getRandomValues(new Uint8Array(length)) };
const openWriter = (log = createMemoryLog()) =>
  AuditWriter.open({ dataDir, node: 'local', registryFile, clock, random, log });
const entry = (call_id: string, more: Partial<AuditEntry> = {}): AuditEntry => ({
  kind: 'call',
  phase: 'single',
  call_id,
  time: new Date().toISOString(),
  ...more,
});
const write = async (writer: AuditWriter, ...ids: string[]) => {
  for (const id of ids) await writer.append(entry(id));
};
const edit = (sql: string, file = join(dataDir, 'audit-0.db')) => {
  const database = new DatabaseSync(file);
  database.exec(sql);
  database.close();
};
const verify = () => {
  const { first_bad, chains } = readAudit(dataDir, (reader) => reader.verify(readRegistryHeads(registryFile)));
  return first_bad ?? chains.map(({ chain, end, end_seq }) => [chain, end, end_seq]);
};

test('a chain that is closed is noted to its end, and a cut of any length is found [gateway:U5]', async () => {
  const writer = openWriter();
  await write(writer, 'a', 'b', 'c');
  await writer.close();
  expect(verify()).toEqual([['local/0', 'registry', 3]]);
  edit('DELETE FROM records WHERE seq = 3');
  expect(verify()).toEqual({ chain: 'local/0', seq: 2, reason: 'head' });
  edit('DELETE FROM records');
  expect(verify()).toEqual({ chain: 'local/0', seq: 0, reason: 'head' });
  rmSync(join(dataDir, 'audit-0.db'));
  expect(verify()).toEqual({ chain: 'local/0', seq: 0, reason: 'missing_chain' });
});

test('records after the last recorded head are no fault, and a chain that continues replaces its head [gateway:U5]', async () => {
  const writer = openWriter();
  await write(writer, 'a', 'b');
  await writer.noteHead();
  await write(writer, 'c');
  expect(verify()).toEqual([['local/0', 'registry', 2]]);
  await writer.noteHead();
  expect(verify()).toEqual([['local/0', 'registry', 3]]);
  await write(writer, 'd');
  await writer.close();
  expect([verify(), readRegistryHeads(registryFile).get('local/0')?.length]).toEqual([[['local/0', 'registry', 4]], 1]);
});

test('a writer that is killed between a commit and its note leaves a log that verifies, and the next one goes on [gateway:U5] [gateway:A4]', async () => {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'testing/append-forever.ts'), dataDir], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(child.stdout, 'data');
  child.kill('SIGKILL');
  await once(child, 'close');
  expect(verify()).toMatchObject([['local/0', 'unchecked', null]]);
  const log = createMemoryLog();
  const writer = openWriter(log);
  await writer.noteHead();
  const { seq } = writer.head;
  expect([verify(), log.lines]).toEqual([[['local/0', 'registry', seq]], []]);
  await writer.close();
});

test('a truncated chain stays bad when it continues: the recorded head is kept, and the loss is logged [gateway:U5]', async () => {
  const writer = openWriter();
  await write(writer, 'a', 'b', 'c', 'd');
  await writer.close();
  edit('DELETE FROM records WHERE seq > 2');
  const log = createMemoryLog();
  const second = openWriter(log);
  await second.noteHead();
  expect(log.lines).toMatchObject([{ level: 'error', fields: { chain: 'local/0', noted_seq: 4 } }]);
  await write(second, 'e', 'f', 'g', 'h');
  await second.noteHead();
  await second.close();
  expect([
    verify(),
    readRegistryHeads(registryFile)
      .get('local/0')
      ?.map(({ seq }) => seq),
  ]).toEqual([{ chain: 'local/0', seq: 4, reason: 'head' }, [4, 6]]);
});

test('pruning removes no recorded head: the rest verifies, even if the head is older than the first record [gateway:U7]', async () => {
  const writer = openWriter();
  const old = new Date(Date.now() - 86_400_000).toISOString();
  for (const id of ['a', 'b', 'c']) await writer.append(entry(id, { time: old }));
  await writer.noteHead();
  await writer.prune(new Date(Date.now() - 3_600_000).toISOString());
  expect(verify()).toEqual([['local/0', 'unchecked', null]]);
  await writer.close();
  expect(verify()).toEqual([['local/0', 'registry', 4]]);
  const log = createMemoryLog();
  const next = openWriter(log);
  await next.noteHead();
  await next.close();
  expect(log.lines).toEqual([]);
});

test('commits that survive a loss of power are noted like the others [gateway:U5]', async () => {
  const writer = openWriter();
  writer.setFsync(true);
  await write(writer, 'a', 'b');
  await writer.noteHead();
  expect(verify()).toEqual([['local/0', 'registry', 2]]);
  await write(writer, 'c');
  await writer.close();
  expect(verify()).toEqual([['local/0', 'registry', 3]]);
});

test('a locked registry is not waited for, except at the end, and a missing one is not created [gateway:U5]', async () => {
  const log = createMemoryLog();
  const writer = openWriter(log);
  await write(writer, 'a');
  const other = new DatabaseSync(registryFile);
  other.exec('CREATE TABLE busy (n); BEGIN IMMEDIATE');
  await writer.noteHead();
  expect([verify(), log.lines]).toEqual([[['local/0', 'unchecked', null]], []]);
  other.exec('COMMIT');
  other.close();
  await writer.close();
  expect(verify()).toEqual([['local/0', 'registry', 1]]);
  const elsewhere = join(dataDir, 'none.db');
  const unnoted = AuditWriter.open({ dataDir, node: 'local', registryFile: elsewhere, clock, random });
  await write(unnoted, 'b');
  await unnoted.close();
  expect(existsSync(elsewhere)).toBe(false);
});

test('a file of heads is appended to, read whole, and says what it cannot read [gateway:U5]', async () => {
  const file = join(dataDir, 'heads.jsonl');
  await appendHeads(file, new Map([['a/0', [{ source: 'registry', seq: 1, hash: 'x' }]]]), 'then');
  await appendHeads(file, new Map([['a/0', [{ source: 'registry', seq: 2, hash: 'y' }]]]), 'now');
  expect(readFileSync(file, 'utf8')).toBe(
    '{"time":"then","chain":"a/0","seq":1,"hash":"x"}\n{"time":"now","chain":"a/0","seq":2,"hash":"y"}\n',
  );
  writeFileSync(file, 'half a li', { flag: 'a' });
  const { heads, warnings } = await readHeadsFile(file);
  expect([[...heads], warnings.length]).toEqual([
    [
      [
        'a/0',
        [
          { source: 'file', seq: 1, hash: 'x' },
          { source: 'file', seq: 2, hash: 'y' },
        ],
      ],
    ],
    1,
  ]);
  expect((await readHeadsFile(join(dataDir, 'absent'))).warnings).toHaveLength(1);
});

test('a pipe without a reader does not block the recording of heads [gateway:U5]', async () => {
  const pipe = join(dataDir, 'pipe');
  execFileSync('mkfifo', [pipe]);
  const heads = new Map([['a/0', [{ source: 'registry' as const, seq: 1, hash: 'x' }]]]);
  await expect(appendHeads(pipe, heads, 'now')).rejects.toThrow('ENXIO');
  const reader = spawn('head', ['-n', '1', pipe], { stdio: ['ignore', 'pipe', 'inherit'] });
  const read = once(reader.stdout, 'data');
  // The reader is there once it has opened the pipe.
  for (;;) {
    const isRead = await appendHeads(pipe, heads, 'now').then(
      () => true,
      () => new Promise<boolean>((resolve) => setTimeout(resolve, 20, false)),
    );
    if (isRead) break;
  }
  expect(String((await read)[0])).toBe('{"time":"now","chain":"a/0","seq":1,"hash":"x"}\n');
  expect((await readHeadsFile(pipe)).warnings).toHaveLength(1);
});

test('of a file of heads only whole lines count, each once, and the file is for its owner alone [gateway:U5]', async () => {
  const file = join(dataDir, 'heads.jsonl');
  const head = { source: 'registry' as const, seq: 1, hash: 'x' };
  await appendHeads(
    file,
    new Map([
      ['a/0', [head, { ...head, seq: 2 }]],
      ['b/0', [head]],
    ]),
    'now',
  );
  const lines = [
    '{"chain":1,"seq":1,"hash":"x"}',
    '{"chain":"a/0","seq":"1","hash":"x"}',
    '{"chain":"a/0","seq":1,"hash":2}',
  ];
  const again = '{"chain":"a/0","seq":1,"hash":"x"}\n{"chain":"a/0","seq":1,"hash":"y"}\n';
  writeFileSync(file, `${lines.join('\n')}\nnull\n${again}`, { flag: 'a' });
  const { heads, warnings } = await readHeadsFile(file);
  const noted = (seq: number, hash: string) => ({ source: 'file', seq, hash });
  expect([[...heads], warnings, statSync(file).mode & 0o777]).toEqual([
    [
      ['a/0', [noted(1, 'x'), noted(2, 'x'), noted(1, 'y')]],
      ['b/0', [noted(1, 'x')]],
    ],
    [`4 lines of ${file}, where heads are noted, are not of its form`],
    0o600,
  ]);
  await appendHeads(join(dataDir, 'whole.jsonl'), new Map([['a/0', [head]]]), 'now');
  expect((await readHeadsFile(join(dataDir, 'whole.jsonl'))).warnings).toEqual([]);
});

test('the path of a file of heads is meant from the folder of the config', () => {
  expect([
    headsFilePath('/etc/bindery/config.json', undefined),
    headsFilePath('/etc/bindery/config.json', 'heads.jsonl'),
    headsFilePath('/etc/bindery/config.json', '/var/heads.jsonl'),
  ]).toEqual([undefined, '/etc/bindery/heads.jsonl', '/var/heads.jsonl']);
});

/** Notes of one chain, whose records are these hashes. */
function openNotes(chain: string, hashes: readonly string[], log = createMemoryLog()) {
  const holds = ({ seq, hash }: { seq: number; hash: string }) => hashes[seq - 1] === hash;
  return new HeadNotes({ chain, holds, registryFile, clock: { now: () => 0 }, log });
}
const notedOf = (chain: string) =>
  readRegistryHeads(registryFile)
    .get(chain)
    ?.map(({ seq, hash }) => `${seq}${hash}`);

test('a note takes the place of those that its chain still holds, and of no other chain’s [gateway:U5]', () => {
  const log = createMemoryLog();
  const other = openNotes('b/0', ['p']);
  other.note({ seq: 1, hash: 'p' });
  const first = openNotes('a/0', ['p', 'q', 'r']);
  expect(first.isNoted({ seq: 0, hash: '' })).toBe(false);
  first.note({ seq: 0, hash: '' });
  expect([notedOf('a/0'), first.isNoted({ seq: 0, hash: '' }), first.isNoted({ seq: 1, hash: 'p' })]).toEqual([
    undefined,
    true,
    false,
  ]);
  first.note({ seq: 1, hash: 'p' });
  first.note({ seq: 3, hash: 'r' });
  expect([notedOf('a/0'), first.isNoted({ seq: 3, hash: 'r' }), first.isNoted({ seq: 1, hash: 'p' })]).toEqual([
    ['3r'],
    true,
    false,
  ]);
  // The chain was cut to one record and has grown again: what it lost stays noted, and is said with the newest number.
  const cut = openNotes('a/0', ['p', 'x', 'y', 'z'], log);
  cut.note({ seq: 0, hash: '' });
  expect([notedOf('a/0'), log.lines.map(({ fields }) => fields)]).toEqual([['3r'], [{ chain: 'a/0', noted_seq: 3 }]]);
  cut.note({ seq: 2, hash: 'x' });
  cut.note({ seq: 4, hash: 'z' });
  expect([notedOf('a/0'), notedOf('b/0'), log.lines.length]).toEqual([['3r', '4z'], ['1p'], 1]);
  for (const notes of [other, first, cut]) notes.close();
});

test('an unwritable registry is logged once, and once when it recovers; a busy one is not [gateway:U5]', () => {
  const log = createMemoryLog();
  const notes = openNotes('a/0', ['p', 'q', 'r', 's'], log);
  notes.note({ seq: 1, hash: 'p' });
  const blocker = new DatabaseSync(registryFile);
  blocker.exec("CREATE TRIGGER full BEFORE INSERT ON audit_heads BEGIN SELECT RAISE(ABORT, 'disk full'); END");
  notes.note({ seq: 2, hash: 'q' });
  notes.note({ seq: 3, hash: 'r' });
  expect(log.lines.map(({ message }) => message)).toEqual([
    'the head of the audit log cannot be recorded in the registry',
  ]);
  blocker.exec('DROP TRIGGER full');
  notes.note({ seq: 3, hash: 'r' });
  expect([log.lines.at(-1)?.message, notedOf('a/0')]).toEqual([
    'the head of the audit log is recorded in the registry again',
    ['3r'],
  ]);
  blocker.exec('BEGIN IMMEDIATE');
  notes.note({ seq: 4, hash: 's' });
  expect([log.lines.length, notedOf('a/0'), notes.isNoted({ seq: 4, hash: 's' })]).toEqual([2, ['3r'], false]);
  blocker.exec('COMMIT');
  blocker.close();
  notes.note({ seq: 4, hash: 's' });
  notes.close();
  expect([log.lines.length, notedOf('a/0')]).toEqual([2, ['4s']]);
});

test('a registry without notes, or none, has noted nothing [gateway:U5]', () => {
  expect([readRegistryHeads(registryFile).size, readRegistryHeads(join(dataDir, 'absent.db')).size]).toEqual([0, 0]);
});

test('an end that is not known to be on the disk is not noted, and one without a log is on the disk [gateway:U5]', async () => {
  const writer = openWriter();
  const notedSeq = () => readRegistryHeads(registryFile).get('local/0')?.[0]?.seq;
  const wal = join(dataDir, 'audit-0.db-wal');
  await write(writer, 'a');
  // A log that cannot be opened to be synchronised.
  renameSync(wal, `${wal}.moved`);
  mkdirSync(wal);
  await writer.noteHead();
  const seen = [notedSeq()];
  rmdirSync(wal);
  await writer.noteHead();
  seen.push(notedSeq());
  await write(writer, 'b');
  mkdirSync(wal);
  await writer.close();
  expect([...seen, notedSeq()]).toEqual([undefined, 1, 1]);
});

test('a note that is under way when the writer is closed does not take the place of the last one [gateway:U5]', async () => {
  const writer = openWriter();
  await write(writer, 'a');
  const noting = writer.noteHead();
  const appended = writer.append(entry('b'));
  await writer.close();
  await Promise.all([noting, appended]);
  expect(verify()).toEqual([['local/0', 'registry', 2]]);
});
