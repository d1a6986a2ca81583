import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createMemoryLog } from '../../src/contract/testing/memory-log.ts';
import { type RunningFixture, startModernFixture } from '../../src/proxy/testing/fixture-server.ts';
import { AuditUpkeep } from '../../src/runtime/audit/audit-upkeep.ts';
import { readAudit } from '../../src/store/audit/audit-reader.ts';
import { AuditWriter } from '../../src/store/audit/audit-writer.ts';
import { callTool, untilListed } from '../support/call-tool.ts';
import { openCommandHome } from '../support/command-home.ts';
import { type RunningBindery, startBindery, until } from '../support/running-bindery.ts';

const home = openCommandHome();
let fixture: RunningFixture;
let bindery: RunningBindery;
const writeConfig = (fsync: boolean) =>
  home.write(
    '.bindery/config.json',
    JSON.stringify({
      version: 1,
      mcp: { servers: { s: { transport: 'http', url: fixture.url } } },
      gateway: { audit: { fsync } },
    }),
  );
beforeAll(async () => {
  fixture = await startModernFixture();
  writeConfig(true);
  bindery = await startBindery(home);
  await untilListed(bindery.url, 's__echo', { text: 'x' });
});
afterAll(async () => {
  await bindery.stop();
  await fixture.close();
});
const openLog = () => new DatabaseSync(join(home.dataDir, 'audit-0.db'));
const recorded = (phase: string): string[] =>
  readAudit(home.dataDir, (reader) => [...reader.exportLines()])
    .map((line) => JSON.parse(line))
    .flatMap((record) => (record.phase === phase ? record.call_id : []));

test('a call whose record waits for the disk holds up nothing else, and is not sent before [gateway:R1]', async () => {
  const before = recorded('begin').length;
  const blocker = openLog();
  blocker.exec('BEGIN IMMEDIATE');
  let isAnswered = false;
  const call = callTool(bindery.url, 's__echo', { text: 'held' }).then((answer) => {
    isAnswered = true;
    return answer;
  });
  const others: number[] = [];
  for (const path of ['/healthz', '/v1/servers', '/v1/tools', '/healthz', '/v1/policy', '/healthz'])
    others.push((await fetch(`${bindery.url}${path}`)).status);
  expect([others, isAnswered, recorded('begin').length]).toEqual([Array(6).fill(200), false, before]);
  blocker.close();
  expect((await call).result.content[0].text).toBe('held');
});

test('a thread that cannot write refuses calls and readiness, and both come back by themselves [gateway:R1] [gateway:D6]', async () => {
  const blocker = openLog();
  blocker.exec("CREATE TRIGGER full BEFORE INSERT ON records BEGIN SELECT RAISE(ABORT, 'disk full'); END");
  const refused = await callTool(bindery.url, 's__echo', { text: 'never sent' });
  const unready = await fetch(`${bindery.url}/readyz`);
  const why = await unready.json();
  blocker.exec('DROP TRIGGER full');
  blocker.close();
  const ready = await fetch(`${bindery.url}/readyz`);
  expect([refused.result._meta['bindery/error'].code, unready.status, why, ready.status, await ready.json()]).toEqual([
    'STORE_UNAVAILABLE',
    503,
    { ready: false, reasons: ['the audit log cannot be written'] },
    200,
    { ready: true },
  ]);
});

test('the setting is taken over while calls run, on and off, and no record is lost [gateway:M2] [gateway:M8]', async () => {
  let isOver = false;
  let answers = 0;
  const callers = Array.from({ length: 4 }, async () => {
    while (!isOver) {
      const { result } = await callTool(bindery.url, 's__echo', { text: 'x' });
      if (result?.content?.[0]?.text === 'x') answers += 1;
      else throw new Error(JSON.stringify(result));
    }
  });
  const before = recorded('end').length;
  for (const fsync of [false, true, false, true]) {
    const [since] = [answers];
    writeConfig(fsync);
    // The file is looked at each second at the latest.
    await new Promise((resolve) => setTimeout(resolve, 1_100));
    await until('calls were answered since', () => answers > since + 10);
  }
  isOver = true;
  await Promise.all(callers);
  const report = await home.json('audit', 'verify');
  expect([report.ok, recorded('end').length - before]).toEqual([true, answers]);
  expect(recorded('end').length).toBe(recorded('begin').length);
});

test('the writer is told what the config says [gateway:M2]', async () => {
  const { dataDir } = openCommandHome();
  const random = { bytes: (length: number) => crypto.getRandomValues(new Uint8Array(length)) };
  const clock = { now: Date.now };
  const writer = AuditWriter.open({ dataDir, node: 'local', clock, random });
  const told: boolean[] = [];
  const watched = { setFsync: (on: boolean) => told.push(on) } as unknown as AuditWriter;
  let fsync: boolean | undefined;
  const settings = () => (fsync === undefined ? {} : { fsync });
  const registryFile = join(dataDir, 'registry.db');
  const log = createMemoryLog();
  const upkeep = new AuditUpkeep({ writer: watched, dataDir, registryFile, settings, clock, random, log });
  for (fsync of [undefined, true, false]) upkeep.configure();
  await writer.close();
  expect(told).toEqual([false, true, false]);
});
