import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { AuditReader } from '../../store/audit/audit-reader.ts';
import { AuditWriter } from '../../store/audit/audit-writer.ts';
import { UP_LIMITS } from '../limits.ts';
import { EndedOnAllChains } from './ended-on-all-chains.ts';

let dataDir: string;
let writers: AuditWriter[];
let ended: EndedOnAllChains;
beforeEach(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'bindery-ended-'));
  writers = [open(), open()];
  await add(0, 'before');
  ended = new EndedOnAllChains(dataDir);
  ended.passOver();
});
afterEach(async () => {
  for (const writer of writers) await writer.close();
  rmSync(dataDir, { recursive: true, force: true });
});

const random = { bytes: (length: number) => new Uint8Array(length).fill(7) };
const open = () => AuditWriter.open({ dataDir, node: 'local', clock: { now: Date.now }, random });

let seconds = 0;
/** A call of one of the writers, a second after the one before. */
async function add(writer: number, call_id: string, name = 'echo'): Promise<void> {
  seconds += 1;
  const time = new Date(Date.UTC(2026, 10, 15) + seconds * 1_000).toISOString();
  await writers[writer]?.append({ kind: 'call', phase: 'single', call_id, time, outcome: 'ok', name });
}

function take() {
  const { items, dropped } = ended.take();
  return { ids: items.map((text) => JSON.parse(text).call_id as string), dropped };
}

test('calls of every chain are reported once, in order, including those of a new chain', async () => {
  await add(1, 'a');
  await add(0, 'b');
  await add(1, 'c');
  expect([take(), take()]).toEqual([
    { ids: ['a', 'b', 'c'], dropped: 0 },
    { ids: [], dropped: 0 },
  ]);
  writers.push(open());
  await add(2, 'd');
  expect(take()).toEqual({ ids: ['d'], dropped: 0 });
});

test('a call is reported even if it follows another one immediately', async () => {
  const told: string[] = [];
  for (let at = 0; at < 50; at += 1) {
    await add(at % 2, String(at));
    told.push(...take().ids);
  }
  expect(told).toEqual(Array.from({ length: 50 }, (_, at) => String(at)));
});

test('unchanged files are not opened', async () => {
  const opened = vi.spyOn(AuditReader.prototype, 'heads');
  take();
  expect(opened).toHaveBeenCalled();
  await new Promise((resolve) => setTimeout(resolve, 300));
  take();
  opened.mockClear();
  for (let looks = 0; looks < 10; looks += 1) take();
  expect(opened).not.toHaveBeenCalled();
});

test('of many or long calls the newest are reported and the others are counted', async () => {
  const many = Array.from({ length: UP_LIMITS.auditEventItemsMax }, (_, at) => String(at));
  for (const id of many) await add(0, id);
  await add(1, 'x');
  await add(1, 'y');
  expect(take()).toEqual({ ids: [...many.slice(2), 'x', 'y'], dropped: 2 });
  for (const id of ['long', 'longer', 'longest']) await add(0, id, 'x'.repeat(UP_LIMITS.auditEventCharsMax / 2));
  expect(take()).toEqual({ ids: ['longest'], dropped: 2 });
});
