import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createMemoryLog } from '../../src/contract/testing/memory-log.ts';
import type { AuditEntry } from '../../src/gateway/audit/audit-record.ts';
import type { GatewaySettings } from '../../src/host/config/gateway-settings.ts';
import { AuditUpkeep } from '../../src/runtime/audit/audit-upkeep.ts';
import { rawArguments } from '../../src/runtime/audit/raw-arguments.ts';
import { readAudit } from '../../src/store/audit/audit-reader.ts';
import { AuditWriter } from '../../src/store/audit/audit-writer.ts';
import { openCommandHome } from '../support/command-home.ts';
import { root } from '../support/repository.ts';
import { commandLine } from '../support/running-bindery.ts';

const DAY = 86_400_000;
const random = { bytes: (length: number) => crypto.getRandomValues(new Uint8Array(length)) };
const openWriter = (dataDir: string, now = Date.now) =>
  AuditWriter.open({ dataDir, node: 'local', clock: { now }, random });
const entry = (call_id: string, more: Partial<AuditEntry> = {}): AuditEntry => ({
  kind: 'call',
  phase: 'single',
  call_id,
  time: new Date().toISOString(),
  caller: 'me',
  server: 's',
  tool: 't',
  arguments: { text: `ü ${call_id} \u2028 "quoted"` },
  outcome: 'ok',
  ...more,
});
function upkeepOf(writer: AuditWriter, dataDir: string, audit: GatewaySettings['audit'], now = Date.now) {
  const registryFile = join(dataDir, 'registry.db');
  const log = createMemoryLog();
  return new AuditUpkeep({ writer, dataDir, registryFile, settings: () => audit, clock: { now }, random, log });
}

describe('an independent verifier in another language', () => {
  const hasPython = spawnSync('python3', ['--version']).status === 0;
  const python = (file: string, ...heads: string[]) => {
    const { stdout, stderr } = spawnSync('python3', [join(root, 'examples/verify_audit.py'), file, ...heads], {
      encoding: 'utf8',
    });
    return stdout.trim() || stderr;
  };

  test('agrees with ours on good exports and finds each tampering that ours finds [gateway:U4] [gateway:U5] [gateway:U7]', async () => {
    if (!hasPython) {
      process.stdout.write('python3 is absent: the independent verifier was not run\n');
      return;
    }
    const home = openCommandHome();
    const [first, second] = [openWriter(home.dataDir), openWriter(home.dataDir)];
    for (let count = 0; count < 12; count += 1) {
      const time = new Date(Date.now() - (12 - count) * DAY).toISOString();
      await first.append(entry(`a${count}`, { time }));
      await second.append(entry(`b${count}`));
    }
    await first.anchor(new Map([[second.chain, second.head]]));
    first.prune(new Date(Date.now() - 8.5 * DAY).toISOString());
    const heads = [first, second].map(({ chain, head }) => `${chain}=${head.hash}`);
    first.close();
    second.close();
    const lines = (await home.run('audit', 'export')).stdout.split('\n').slice(0, -1);
    const file = join(home.home, 'export.jsonl');
    const both = async (changed: readonly string[], ...noted: string[]) => {
      writeFileSync(file, changed.map((line) => `${line}\n`).join(''));
      const ours = await home.json('audit', 'verify', '--file', file, ...noted.flatMap((head) => ['--head', head]));
      return [ours.first_bad?.reason ?? 'ok', python(file, ...noted)];
    };
    expect(await both(lines, ...heads)).toEqual(['ok', 'ok']);
    const middle = 3;
    const edited = lines.with(middle, (lines[middle] as string).replace('"outcome":"ok"', '"outcome":"no"'));
    const tampered: Record<string, readonly string[]> = {
      edit: edited,
      drop: lines.toSpliced(middle, 1),
      reorder: lines.with(middle, lines[middle + 1] as string).with(middle + 1, lines[middle] as string),
      'cut of the anchored chain': lines.slice(0, -1),
    };
    for (const [name, changed] of Object.entries(tampered)) {
      const [ours, theirs] = await both(changed);
      expect([name, ours === 'ok', ours]).toEqual([name, false, theirs]);
    }
    const garbage = await both(lines.with(middle, '{"not":"a record"}'));
    expect(garbage.includes('ok')).toBe(false);
    const withoutBeginning = lines.slice(1);
    expect(await both(withoutBeginning)).toEqual(['missing_checkpoint', 'missing_checkpoint']);
  });

  test('agrees on random changes of one character [gateway:U4]', async () => {
    if (!hasPython) return;
    const home = openCommandHome();
    const writer = openWriter(home.dataDir);
    for (let count = 0; count < 5; count += 1) await writer.append(entry(`r${count}`));
    const head = `${writer.chain}=${writer.head.hash}`;
    writer.close();
    const text = (await home.run('audit', 'export')).stdout;
    const file = join(home.home, 'random.jsonl');
    // A chain that nobody anchors: a cut tail is found by the head that was noted, and only so.
    writeFileSync(file, text.slice(0, text.lastIndexOf('\n', text.length - 2) + 1));
    expect([python(file), python(file, head)]).toEqual(['ok', 'head']);
    expect((await home.json('audit', 'verify', '--file', file, '--head', head)).first_bad.reason).toBe('head');
    await fc.assert(
      fc.asyncProperty(fc.nat(text.length - 2), fc.constantFrom('0', 'x', '"', '}'), async (at, character) => {
        const changed = `${text.slice(0, at)}${character}${text.slice(at + 1)}`;
        writeFileSync(file, changed);
        const ours = await home.json('audit', 'verify', '--file', file);
        expect([ours.ok, python(file) === 'ok']).toEqual([changed === text, changed === text]);
      }),
      { numRuns: 12 },
    );
  });
});

test('a tail that was cut off is found by the anchor of another chain [gateway:U6] [gateway:U5]', async () => {
  const home = openCommandHome();
  const [first, second] = [openWriter(home.dataDir), openWriter(home.dataDir)];
  await second.append(entry('x'));
  await second.append(entry('y'));
  const upkeep = upkeepOf(first, home.dataDir, {});
  await upkeep.run();
  await upkeep.run();
  // Heads that did not move are not anchored twice.
  expect(readAudit(home.dataDir, (reader) => reader.search({ kind: 'system' }, 10))).toMatchObject([
    { action: 'anchor', anchors: { 'local/1': { seq: 2, hash: second.head.hash } } },
  ]);
  first.close();
  second.close();
  const database = new DatabaseSync(join(home.dataDir, 'audit-1.db'));
  database.exec('DELETE FROM records WHERE seq = 2');
  database.close();
  expect(await home.json('audit', 'verify')).toMatchObject({
    ok: false,
    first_bad: { chain: 'local/1', reason: 'head' },
  });
});

test('retention by age and by size keeps the chain verifiable, and what is left is within the limit [gateway:U7] [gateway:M2]', async () => {
  const home = openCommandHome();
  const writer = openWriter(home.dataDir);
  const old = new Date(Date.now() - 10 * DAY).toISOString();
  for (let count = 0; count < 20; count += 1) await writer.append(entry(`old${count}`, { time: old }));
  const bulk = 'x'.repeat(4_000);
  await Promise.all(
    Array.from({ length: 800 }, (_, count) => writer.append(entry(`new${count}`, { arguments: { bulk } }))),
  );
  await upkeepOf(writer, home.dataDir, { retention_days: 7 }).run();
  expect(readAudit(home.dataDir, (reader) => reader.search({ q: 'old' }, 100))).toEqual([]);
  await upkeepOf(writer, home.dataDir, { retention_mb: 1 }).run();
  const report = readAudit(home.dataDir, (reader) => reader.verify());
  expect([report.ok, report.records > 100, report.records < 300]).toEqual([true, true, true]);
  expect(await writer.pruneToBytes(1024 * 1024)).toBe(0);
  writer.close();
  const reasons = readAudit(home.dataDir, (reader) => reader.search({ kind: 'system' }, 10)).map(
    ({ checkpoint }) => checkpoint?.reason,
  );
  // The record of the pruning by age is itself young enough to stay.
  expect(reasons).toEqual(['size', 'age']);
});

test('raw arguments are kept only where the config asks for it, encrypted, bound to their call, and gone with its record [gateway:M2]', async () => {
  const home = openCommandHome();
  const writer = openWriter(home.dataDir);
  const off = upkeepOf(writer, home.dataDir, {});
  off.configure();
  off.keepRaw('c0', { text: 'plain-secret' });
  await writer.append(entry('c0'));
  const on = upkeepOf(writer, home.dataDir, { raw_arguments: true });
  on.configure();
  on.keepRaw('c1', { text: 'plain-secret' });
  await writer.append(entry('c1', { arguments: { text: '***' } }));
  expect([rawArguments(home.dataDir, 'c0'), rawArguments(home.dataDir, 'c1')]).toEqual([
    undefined,
    { text: 'plain-secret' },
  ]);
  expect((await home.run('audit', 'raw', 'c1')).stdout).toBe('{"text":"plain-secret"}\n');
  expect(readAudit(home.dataDir, (reader) => reader.search({ kind: 'admin' }, 5))).toMatchObject([
    { action: 'gateway.audit_raw', outcome: 'ok' },
  ]);
  const files = ['audit-0.db', 'audit-0.db-wal']
    .map((name) => readFileSync(join(home.dataDir, name), 'latin1'))
    .join('');
  expect(files.includes('plain-secret')).toBe(false);
  const database = new DatabaseSync(join(home.dataDir, 'audit-0.db'));
  database.exec(
    "INSERT INTO raw_arguments(call_id, sealed) SELECT 'c0', sealed FROM raw_arguments WHERE call_id = 'c1'",
  );
  database.close();
  expect(() => rawArguments(home.dataDir, 'c0')).toThrow(expect.objectContaining({ code: 'CALL_NOT_FOUND' }));
  writer.prune(new Date(Date.now() + DAY).toISOString());
  writer.close();
  expect(rawArguments(home.dataDir, 'c1')).toBeUndefined();
});

test('an export with keyed digests has none that could be guessed, and cannot be verified [gateway:R12]', async () => {
  const home = openCommandHome();
  const writer = openWriter(home.dataDir);
  const digest = 'a'.repeat(64);
  for (const id of ['one', 'two']) await writer.append(entry(id, { arguments_sha256: digest, result_sha256: digest }));
  const { hash } = writer.head;
  writer.close();
  const { stdout } = await home.run('audit', 'export', '--redact-digests');
  const records = stdout
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line));
  expect([
    stdout.includes(digest),
    stdout.includes(hash),
    records[0].arguments_sha256 === records[1].arguments_sha256,
  ]).toEqual([false, false, true]);
  const file = join(home.home, 'redacted.jsonl');
  writeFileSync(file, stdout);
  expect((await home.json('audit', 'verify', '--file', file)).ok).toBe(false);
});

test('tail -f shows the last calls, then each as it ends [gateway:U9]', async () => {
  const home = openCommandHome();
  const writer = openWriter(home.dataDir);
  for (const id of ['one', 'two', 'three']) await writer.append(entry(id));
  const child = spawn(process.execPath, commandLine('audit', 'tail', '-n', '2', '-f', '--json'), {
    env: { PATH: process.env.PATH ?? '', HOME: home.home },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let shown = '';
  const seen = (count: number) =>
    new Promise<void>((resolve) => {
      const look = () => shown.split('\n').length > count && resolve();
      child.stdout.on('data', look);
      look();
    });
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    shown += chunk;
  });
  await seen(2);
  await writer.append(entry('four', { phase: 'begin' }));
  await writer.append({
    kind: 'call',
    phase: 'end',
    call_id: 'four',
    time: new Date().toISOString(),
    outcome: 'tool_error',
  });
  await seen(3);
  child.kill('SIGINT');
  const [code] = await once(child, 'exit');
  writer.close();
  const lines = shown
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line));
  expect([code, lines.map(({ call_id, outcome }) => [call_id, outcome])]).toEqual([
    130,
    [
      ['two', 'ok'],
      ['three', 'ok'],
      ['four', 'tool_error'],
    ],
  ]);
});
