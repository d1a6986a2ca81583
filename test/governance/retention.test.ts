import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createMemoryLog } from '../../src/contract/testing/memory-log.ts';
import type { AuditEntry } from '../../src/gateway/audit/audit-record.ts';
import type { GatewaySettings } from '../../src/host/config/gateway-settings.ts';
import { AuditUpkeep } from '../../src/runtime/audit/audit-upkeep.ts';
import { readAudit } from '../../src/store/audit/audit-reader.ts';
import { AuditWriter } from '../../src/store/audit/audit-writer.ts';
import { chainStates } from '../../src/store/audit/resting-chains.ts';
import { openCommandHome } from '../support/command-home.ts';
import { root } from '../support/repository.ts';

const DAY = 86_400_000;
const MEGABYTE = 1024 * 1024;
const random = { bytes: (length: number) => crypto.getRandomValues(new Uint8Array(length)) };
const at = (days: number) => new Date(Date.now() + days * DAY).toISOString();
const openWriter = (dataDir: string) => AuditWriter.open({ dataDir, node: 'local', clock: { now: Date.now }, random });
const entry = (call_id: string, more: Partial<AuditEntry> = {}): AuditEntry => ({
  kind: 'call',
  phase: 'single',
  call_id,
  time: at(0),
  server: 's',
  tool: 't',
  outcome: 'ok',
  ...more,
});
function upkeepOf(writer: AuditWriter, dataDir: string, audit: GatewaySettings['audit'], now = Date.now) {
  const log = createMemoryLog();
  const registryFile = join(dataDir, 'registry.db');
  const settings = () => audit;
  return { log, upkeep: new AuditUpkeep({ writer, dataDir, registryFile, settings, clock: { now }, random, log }) };
}
const chainsOf = (dataDir: string) => {
  const report = readAudit(dataDir, (reader) => reader.verify());
  return [report.first_bad, report.chains.map(({ chain, first_seq, last_seq }) => [chain, first_seq, last_seq])];
};

test('the chain of a writer that is gone is pruned by who lives, and verifies; one whose writer lives is left to it [gateway:U7] [gateway:U6]', async () => {
  const { dataDir } = openCommandHome();
  const [mine, living, gone] = [openWriter(dataDir), openWriter(dataDir), openWriter(dataDir)];
  for (const writer of [living, gone])
    for (const days of [-9, -8, -1]) await writer.append(entry(`${writer.chain}${days}`, { time: at(days) }));
  gone.close();
  const { upkeep, log } = upkeepOf(mine, dataDir, { retention_days: 7 });
  await upkeep.run();
  expect(chainsOf(dataDir)).toEqual([
    null,
    [
      ['local/0', 1, 1],
      ['local/1', 1, 3],
      ['local/2', 3, 4],
    ],
  ]);
  // Nothing was added to it since: it is not written again, and the anchor on it stands.
  await upkeep.run();
  expect([chainsOf(dataDir)[1], log.lines]).toEqual([expect.arrayContaining([['local/2', 3, 4]]), []]);
  living.close();
  await upkeep.run();
  expect(chainsOf(dataDir)).toEqual([
    null,
    [
      ['local/0', 1, 2],
      ['local/1', 3, 4],
      ['local/2', 3, 4],
    ],
  ]);
  mine.close();
});

test('a chain that rests for ever is pruned to one checkpoint after another, and verifies each time [gateway:U7]', async () => {
  const { dataDir } = openCommandHome();
  const [mine, gone] = [openWriter(dataDir), openWriter(dataDir)];
  for (let count = 0; count < 5; count += 1) await gone.append(entry(`g${count}`));
  gone.close();
  for (const days of [10, 20, 30]) {
    await upkeepOf(mine, dataDir, { retention_days: 7 }, () => Date.now() + days * DAY).upkeep.run();
    expect(chainsOf(dataDir)[0]).toBeNull();
  }
  const left = readAudit(dataDir, (reader) => reader.search({}, 50)).filter(({ chain }) => chain === 'local/1');
  expect(left).toMatchObject([{ seq: 8, checkpoint: { through_seq: 7, count: 1, reason: 'age' } }]);
  mine.close();
});

test('anchors that were pruned are written again, so that a cut of a resting chain stays visible [gateway:U6] [gateway:U7]', async () => {
  const { dataDir } = openCommandHome();
  const [mine, gone] = [openWriter(dataDir), openWriter(dataDir)];
  await gone.append(entry('g'));
  const { hash } = gone.head;
  gone.close();
  const { upkeep } = upkeepOf(mine, dataDir, {});
  await upkeep.run();
  mine.prune(at(1));
  const later = upkeepOf(mine, dataDir, { retention_days: 1 }, () => Date.now() + 2 * DAY).upkeep;
  await later.run();
  await later.run();
  const [anchored] = readAudit(dataDir, (reader) => reader.search({ kind: 'system' }, 50)).filter(
    ({ chain, anchors }) => chain === 'local/0' && anchors,
  );
  expect(anchored?.anchors?.['local/1']?.hash).not.toBe(hash);
  expect(anchored?.anchors?.['local/1']).toEqual(readAudit(dataDir, (reader) => reader.heads().get('local/1')));
  mine.close();
});

test('the limit of size holds for all chains together, and the gone make room first to their even share [gateway:U7] [gateway:M2]', async () => {
  const { dataDir } = openCommandHome();
  const [mine, gone] = [openWriter(dataDir), openWriter(dataDir)];
  const bulk = 'x'.repeat(4_000);
  for (const writer of [mine, gone])
    await Promise.all(
      Array.from({ length: 500 }, (_, count) =>
        writer.append(entry(`${writer.chain}${count}`, { arguments: { bulk } })),
      ),
    );
  gone.close();
  await upkeepOf(mine, dataDir, { retention_mb: 2 }).upkeep.run();
  const states = chainStates(dataDir);
  const total = states.reduce((sum, { bytes }) => sum + bytes, 0);
  expect([total <= 2 * MEGABYTE, states.every(({ bytes }) => bytes > MEGABYTE / 2), chainsOf(dataDir)[0]]).toEqual([
    true,
    true,
    null,
  ]);
  mine.close();
});

test('kill -9 of another writer: its open calls are ended as interrupted by who lives, without a restart [gateway:U3] [gateway:A4] [gateway:A23]', async () => {
  const { dataDir } = openCommandHome();
  const mine = openWriter(dataDir);
  const child = spawn(process.execPath, [join(root, 'src/store/audit/testing/append-forever.ts'), dataDir], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let begun = 0;
  while (begun < 16) {
    const [chunk] = await once(child.stdout, 'data');
    begun += String(chunk).split('\n').length - 1;
  }
  // While it lives nobody else ends its calls.
  const { upkeep } = upkeepOf(mine, dataDir, {});
  await upkeep.run();
  child.kill('SIGKILL');
  await once(child, 'close');
  await upkeep.run();
  const records = readAudit(dataDir, (reader) => [...reader.exportLines()].map((line) => JSON.parse(line))).filter(
    ({ chain }) => chain === 'local/1',
  );
  const begins = records.filter(({ phase }) => phase === 'begin');
  const ended = records.filter(({ phase }) => phase === 'end');
  const endings = new Set(ended.map(({ outcome }) => outcome));
  expect([ended.length === begins.length, endings, chainsOf(dataDir)[0]]).toEqual([
    true,
    new Set(['ok', 'interrupted']),
    null,
  ]);
  const interrupted = ended.filter(({ outcome }) => outcome === 'interrupted').map(({ seq }) => seq);
  expect(Math.min(...interrupted)).toBeGreaterThan(
    Math.max(...records.filter(({ phase }) => phase === 'begin').map(({ seq }) => seq)),
  );
  mine.close();
});
