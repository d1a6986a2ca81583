import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Worker } from 'node:worker_threads';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createMemoryLog } from '../../contract/testing/memory-log.ts';
import type { AuditEntry } from '../../gateway/audit/audit-record.ts';
import { STORE_LIMITS as LIMITS } from '../limits.ts';
import { readAudit } from './audit-reader.ts';
import { AuditWriter } from './audit-writer.ts';
import { WalCheckpointer } from './wal-checkpointer.ts';

const PAGE = 4_096;
/** A record of about a page. */
const LONG = 'x'.repeat(3_000);
/** So many of them certainly order a checkpoint. */
const AN_ORDER = LIMITS.auditWalCheckpointPages * 4;

let dataDir: string;
let log: ReturnType<typeof createMemoryLog>;
beforeEach(() => {
  log = createMemoryLog();
  dataDir = mkdtempSync(join(tmpdir(), 'bindery-wal-'));
});
afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

const clock = { now: () => Date.UTC(2026, 10, 16) };
const random = { bytes: (length: number) => crypto.getRandomValues(new Uint8Array(length)) };
const open = (checkpointerModule?: URL) =>
  AuditWriter.open({ dataDir, node: 'local', clock, random, log, ...(checkpointerModule && { checkpointerModule }) });
/** A module that replaces the checkpoint thread. */
const thread = (code: string) =>
  new URL(`data:text/javascript,import { parentPort } from 'node:worker_threads';${encodeURIComponent(code)}`);

let calls = 0;
function entry(): AuditEntry {
  calls += 1;
  const call_id = `call ${calls}`;
  return { kind: 'call', phase: 'single', call_id, time: '2026-11-16T00:00:00.000Z', name: LONG };
}
async function append(writer: AuditWriter, records: number): Promise<void> {
  await Promise.all(Array.from({ length: records }, () => writer.append(entry())));
}
const walPages = () => statSync(join(dataDir, 'audit-0.db-wal')).size / PAGE;
function verified(): { readonly ok: boolean; readonly records: number } {
  return readAudit(dataDir, (reader) => ({ ok: reader.verify().ok, records: [...reader.exportLines()].length }));
}

const { auditWalCheckpointPages: EMPTY, auditWalPagesMax: MAX } = LIMITS;
/** Bytes that count as so many pages together with those of their commit. */
const bytesOf = (pages: number) => (pages - 3) * 3_000;

/** A checkpointer whose thread does nothing: the test answers in its place, and sees what it was ordered. */
async function openCheckpointer() {
  const started = new Promise<Worker>((resolve) => process.once('worker', resolve));
  const heard: string[] = [];
  const checkpointer = new WalCheckpointer(
    join(dataDir, 'none.db'),
    { onFree: () => heard.push('free'), onBroken: () => heard.push('broken') },
    thread('parentPort.on("message", (order) => order === "close" && parentPort.close())'),
  );
  checkpointer.wrote(bytesOf(EMPTY));
  const worker = await started;
  const orders = ['checkpoint'];
  const send = worker.postMessage.bind(worker);
  worker.postMessage = (order: string) => {
    orders.push(order);
    send(order);
  };
  const answer = (pages: number | undefined) => worker.emit('message', { pages });
  /** Orders and events since the last look, and whether writing pauses. */
  const seen = () => [orders.splice(0).length, heard.splice(0), checkpointer.isHolding];
  expect(seen()).toEqual([1, [], false]);
  return { checkpointer, worker, answer, seen, orders };
}
const NOTHING = [0, [], false];
const ORDERED = [1, [], false];

test('a checkpoint is ordered from so many pages on, one at a time, and writing pauses at the limit', async () => {
  const { checkpointer, answer, seen } = await openCheckpointer();
  // No second order while the thread works; at the limit writing pauses.
  checkpointer.wrote(bytesOf(MAX - 4));
  expect(seen()).toEqual(NOTHING);
  checkpointer.wrote(bytesOf(3));
  expect(seen()).toEqual(NOTHING);
  checkpointer.wrote(bytesOf(4));
  expect(seen()).toEqual([0, [], true]);
  answer(5);
  expect(seen()).toEqual([0, ['free'], false]);
  await checkpointer.end();
});

test('the page count restarts with each order', async () => {
  const { checkpointer, answer, seen } = await openCheckpointer();
  answer(0);
  checkpointer.wrote(bytesOf(EMPTY - 3) - 1);
  expect(seen()).toEqual(NOTHING);
  checkpointer.wrote(bytesOf(3));
  expect(seen()).toEqual(NOTHING);
  checkpointer.wrote(1);
  expect(seen()).toEqual(ORDERED);
  answer(0);
  checkpointer.wrote(bytesOf(EMPTY));
  expect(seen()).toEqual(ORDERED);
  await checkpointer.end();
});

test('a log that stays long pauses writing once, then only when it has doubled, until it was short again', async () => {
  const { checkpointer, answer, seen } = await openCheckpointer();
  const emptied = (pages: number | undefined) => {
    answer(pages);
    return seen();
  };
  const orderAgain = () => {
    checkpointer.wrote(bytesOf(EMPTY));
    return seen();
  };
  expect([emptied(undefined), orderAgain(), emptied(MAX - 1), orderAgain()]).toEqual([
    NOTHING,
    ORDERED,
    NOTHING,
    ORDERED,
  ]);
  expect([emptied(MAX), emptied(MAX), orderAgain()]).toEqual([[1, [], true], [0, ['free'], false], ORDERED]);
  expect([emptied(2 * MAX - 1), orderAgain(), emptied(2 * MAX), emptied(1)]).toEqual([
    NOTHING,
    ORDERED,
    [1, [], true],
    [0, ['free'], false],
  ]);
  expect([orderAgain(), emptied(4 * MAX - 1), orderAgain(), emptied(MAX - 1), orderAgain(), emptied(MAX)]).toEqual([
    ORDERED,
    NOTHING,
    ORDERED,
    NOTHING,
    ORDERED,
    [1, [], true],
  ]);
  await checkpointer.end();
});

test('a thread that fails is reported once and not replaced, and paused writing goes on', async () => {
  const { checkpointer, worker, seen } = await openCheckpointer();
  checkpointer.wrote(bytesOf(MAX));
  expect(checkpointer.isHolding).toBe(true);
  worker.emit('error', new Error('no'));
  worker.emit('exit', 1);
  expect(seen()).toEqual([0, ['broken'], false]);
  for (const pages of [EMPTY, MAX, MAX]) checkpointer.wrote(bytesOf(pages));
  expect([seen(), checkpointer.end()]).toEqual([NOTHING, undefined]);
  await worker.terminate();
});

test('end() closes the thread once, ignores its messages, and lets writing go on', async () => {
  const { checkpointer, worker, orders, seen } = await openCheckpointer();
  checkpointer.wrote(bytesOf(MAX));
  const ended = checkpointer.end();
  expect([orders, checkpointer.isHolding, checkpointer.end()]).toEqual([['close'], false, undefined]);
  worker.emit('message', { pages: MAX });
  await ended;
  expect(seen()).toEqual([1, [], false]);
});

test('however much is written without a pause, the write-ahead log stays within its limit [gateway:R1]', async () => {
  const writer = open();
  const records = LIMITS.auditWalPagesMax * 5;
  let most = 0;
  for (let written = 0; written < records; written += 256) {
    await append(writer, 256);
    most = Math.max(most, walPages());
  }
  await writer.close();
  expect(verified()).toEqual({ ok: true, records });
  // It may double during a checkpoint, and no more, however slow the disk is.
  expect(most).toBeLessThan(LIMITS.auditWalPagesMax * 2.3);
});

test('records are written while the thread waits for the disk, until there are too many of them', async () => {
  const writer = open(thread('parentPort.on("message", (order) => order === "close" && parentPort.close())'));
  await append(writer, AN_ORDER);
  expect(await isWaiting(writer)).toBe(false);
  let records = AN_ORDER + 1;
  while (!(await isWaiting(writer)) && records < LIMITS.auditWalPagesMax * 2) {
    await append(writer, 1_000);
    records += 1_001;
  }
  // No other connection has checkpointed it.
  expect(walPages()).toBeGreaterThan(LIMITS.auditWalPagesMax / 2);
  await writer.close();
  expect(verified()).toEqual({ ok: true, records: records + 1 });
  expect(records).toBeGreaterThan(LIMITS.auditWalPagesMax / 2);
  expect(records).toBeLessThan(LIMITS.auditWalPagesMax * 2);
});

test('when the log is too long, writing pauses until the next checkpoint, and the event loop does not', async () => {
  const done = join(dataDir, 'emptied');
  const writer = open(
    thread(`
      import { existsSync } from 'node:fs';
      const answer = () => parentPort.postMessage({ pages: 1e6 });
      const answerLater = () => (existsSync(${JSON.stringify(done)}) ? answer() : setTimeout(answerLater, 5));
      let orders = 0;
      parentPort.on('message', (order) => {
        orders += 1;
        if (order === 'close') parentPort.close();
        else if (orders === 1) answer();
        else answerLater();
      });
    `),
  );
  await append(writer, AN_ORDER);
  await expect.poll(() => isWaiting(writer), { interval: 5, timeout: 10_000 }).toBe(true);
  const order: string[] = [];
  const written = writer.append(entry()).then(() => order.push('written'));
  await wait(20);
  order.push('emptied');
  writeFileSync(done, '');
  await written;
  expect(order).toEqual(['emptied', 'written']);
  await writer.close();
  expect(verified().ok).toBe(true);
});

/** Whether what is appended now is not written within a few turns. */
async function isWaiting(writer: AuditWriter): Promise<boolean> {
  const written = writer.append(entry()).then(() => false);
  return Promise.race([written, wait(50).then(() => true)]);
}

test('paused writing goes on when the file is closed, and nothing is lost', async () => {
  const writer = open(
    thread(`
      let orders = 0;
      parentPort.on("message", (order) => {
        if (order === "close") return parentPort.close();
        orders += 1;
        if (orders === 1) parentPort.postMessage({ pages: 1e6 });
      });
    `),
  );
  await append(writer, AN_ORDER);
  await expect.poll(() => isWaiting(writer), { interval: 5, timeout: 10_000 }).toBe(true);
  const last = writer.append(entry());
  await writer.close();
  await last;
  expect(verified().ok).toBe(true);
});

test('entries that wait while writing pauses are written when the thread dies', async () => {
  const dies = join(dataDir, 'dies');
  const writer = open(
    thread(`
      import { existsSync } from 'node:fs';
      parentPort.once('message', () => {
        parentPort.postMessage({ pages: 1e6 });
        const dieLater = () => (existsSync(${JSON.stringify(dies)}) ? process.exit(1) : setTimeout(dieLater, 5));
        dieLater();
      });
    `),
  );
  await append(writer, AN_ORDER);
  await expect.poll(() => isWaiting(writer), { interval: 5, timeout: 10_000 }).toBe(true);
  const waiting = writer.append(entry());
  writeFileSync(dies, '');
  await waiting;
  await writer.close();
  expect(verified().ok).toBe(true);
});

test.each([
  ['does not start', 'throw new Error("no")'],
  ['dies at its work', 'parentPort.on("message", () => process.exit(1))'],
  [
    'dies while writing rests',
    'parentPort.once("message", () => { parentPort.postMessage({ pages: 1e6 }); parentPort.once("message", () => process.exit(1)); })',
  ],
])('when a thread %s, the writer checkpoints, and logs that', async (_, code) => {
  const writer = open(thread(code));
  await append(writer, AN_ORDER);
  await vi.waitFor(() => expect(log.lines).toHaveLength(1), { timeout: 60_000 });
  for (let commits = 0; commits < 20; commits += 1) await append(writer, LIMITS.auditWalCheckpointPages / 4);
  const pages = walPages();
  await writer.close();
  expect(verified().ok).toBe(true);
  expect(pages).toBeLessThan(AN_ORDER * 2);
  expect(log.lines.map(({ level, message }) => [level, message])).toEqual([
    ['warn', 'the checkpoint thread of the audit log ended; the writer checkpoints from now on'],
  ]);
});
