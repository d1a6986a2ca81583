import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { AuditEntry } from '../../gateway/audit/audit-record.ts';
import { GATEWAY_LIMITS } from '../../gateway/limits.ts';
import { STORE_LIMITS } from '../limits.ts';
import { readAudit } from './audit-reader.ts';
import { AuditReads } from './audit-reads.ts';
import { AuditWriter } from './audit-writer.ts';

let dataDir: string;
let writers: AuditWriter[];
const clock = { now: () => Date.UTC(2026, 10, 15) };
const random = { bytes: (length: number) => crypto.getRandomValues(new Uint8Array(length)) };
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'bindery-audit-reads-'));
  // Two chains: what is read is merged.
  writers = [0, 1].map(() => AuditWriter.open({ dataDir, node: 'local', clock, random }));
});
afterEach(async () => {
  for (const writer of writers) await writer.close();
  rmSync(dataDir, { recursive: true, force: true });
});

async function write(count: number, more: Partial<AuditEntry> = {}): Promise<void> {
  for (let at = 0; at < count; at += 1) {
    const begun = { kind: 'call', call_id: `c${at}`, server: 's', tool: 't' } as const;
    const time = new Date(clock.now() + at).toISOString();
    const writer = writers[at % 2] as AuditWriter;
    await Promise.all([
      writer.append({ ...begun, phase: 'begin', time, ...more }),
      writer.append({ ...begun, phase: 'end', time, outcome: 'ok' }),
    ]);
  }
}

test('a thread reads what a reader reads: pages, calls, chains and lines [gateway:U9]', async () => {
  await write(STORE_LIMITS.auditExportRows + 20);
  const reads = new AuditReads(dataDir);
  const lines: string[] = [];
  for await (const batch of reads.lines(undefined)) lines.push(...batch);
  const inThread = {
    page: await reads.search({ server: 's' }, 7, 100),
    call: await reads.call('c11'),
    missing: await reads.call('none'),
    report: await reads.verify(new Map()),
    lines,
  };
  const range = { since: clock.now(), until: clock.now() + 100, buckets: 2 };
  expect(await reads.summary({ server: 's' }, range)).toEqual(
    readAudit(dataDir, (reader) => reader.summary({ server: 's' }, range)),
  );
  expect(inThread).toEqual(
    readAudit(dataDir, (reader) => ({
      page: reader.search({ server: 's' }, 7, 100),
      call: reader.call('c11'),
      missing: undefined,
      report: reader.verify(),
      lines: [...reader.exportLines()],
    })),
  );
  expect(inThread.page.map(({ call_id }) => call_id)).toEqual(
    Array.from({ length: 7 }, (_, at) => `c${STORE_LIMITS.auditExportRows + 19 - 100 - at}`),
  );
  expect([inThread.report.ok, lines.length > 2 * STORE_LIMITS.auditExportRows]).toEqual([true, true]);
});

test('an export that its reader leaves ends its thread, and digests are keyed on wish', async () => {
  await write(5, { arguments_sha256: 'a'.repeat(64) });
  const reads = new AuditReads(dataDir);
  const threads = watchThreads();
  for await (const [line] of reads.lines(random.bytes(32))) {
    expect(line).not.toContain('a'.repeat(64));
    break;
  }
  expect(threads.counts()).toEqual({ started: 1, ended: 1 });
  threads.close();
  let keyed = 0;
  for await (const lines of reads.lines(random.bytes(32)))
    keyed += lines.filter((line) => !line.includes('a'.repeat(64))).length;
  expect(keyed).toBe(10);
});

/** The threads that were started from now on, and how many of them have ended. */
function watchThreads() {
  const threads: Worker[] = [];
  let ended = 0;
  const onStart = (worker: Worker) => {
    threads.push(worker);
    worker.once('exit', () => {
      ended += 1;
    });
  };
  process.on('worker', onStart);
  return { threads, counts: () => ({ started: threads.length, ended }), close: () => process.off('worker', onStart) };
}

test('a verification has a thread of its own, which ends with it', async () => {
  await write(1);
  const threads = watchThreads();
  await new AuditReads(dataDir).verify(new Map());
  expect(threads.counts()).toEqual({ started: 1, ended: 1 });
  threads.close();
});

test('searches share a thread, which ends after a while without searches', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const threads = watchThreads();
  try {
    await write(1);
    const reads = new AuditReads(dataDir);
    const search = () => reads.search({}, 1, 0);
    const { auditSearchIdleMs: idleMs } = STORE_LIMITS;
    await Promise.all([search(), search()]);
    vi.advanceTimersByTime(idleMs - 1);
    await search();
    // The time begins anew with each search.
    vi.advanceTimersByTime(idleMs - 1);
    await search();
    expect(threads.counts()).toEqual({ started: 1, ended: 0 });
    const gone = new Promise((resolve) => threads.threads[0]?.once('exit', resolve));
    vi.advanceTimersByTime(idleMs);
    await gone;
    await search();
    expect(threads.counts()).toEqual({ started: 2, ended: 1 });
    vi.advanceTimersByTime(idleMs);
  } finally {
    threads.close();
    vi.useRealTimers();
  }
});

test('a search that runs when the thread would have rested long enough is answered by it', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const threads = watchThreads();
  try {
    await write(1);
    const reads = new AuditReads(dataDir);
    await reads.search({}, 1, 0);
    const running = [reads.search({}, 1, 0), reads.search({}, 1, 0)];
    vi.advanceTimersByTime(STORE_LIMITS.auditSearchIdleMs);
    await running[0];
    vi.advanceTimersByTime(STORE_LIMITS.auditSearchIdleMs);
    expect([(await running[1])?.length, threads.counts()]).toEqual([1, { started: 1, ended: 0 }]);
    const gone = new Promise((resolve) => threads.threads[0]?.once('exit', resolve));
    vi.advanceTimersByTime(STORE_LIMITS.auditSearchIdleMs);
    await gone;
  } finally {
    threads.close();
    vi.useRealTimers();
  }
});

test('a thread keeps the process alive exactly while a job is pending', async () => {
  await write(1);
  let isKept = true;
  const spies = [
    vi.spyOn(Worker.prototype, 'ref').mockImplementation(() => {
      isKept = true;
    }),
    vi.spyOn(Worker.prototype, 'unref').mockImplementation(() => {
      isKept = false;
    }),
  ];
  const reads = new AuditReads(dataDir);
  const search = () => reads.search({}, 1, 0).then(() => isKept);
  const kept = await Promise.all([search(), search(), search()]);
  const again = search();
  const seen = [kept, isKept, await again];
  for (const spy of spies) spy.mockRestore();
  expect(seen).toEqual([[true, true, false], true, false]);
});

test('an export whose thread dies fails instead of waiting forever', async () => {
  await write(2);
  const threads = watchThreads();
  const lines = new AuditReads(dataDir).lines(undefined);
  expect((await lines.next()).value?.length).toBe(2);
  await threads.threads[0]?.terminate();
  threads.close();
  await expect(lines.next()).rejects.toThrow('has ended');
});

test('searches of a thread that dies fail, and the next one starts another, which stays', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const threads = watchThreads();
  try {
    await write(1);
    const reads = new AuditReads(dataDir);
    const search = () => reads.search({}, 1, 0).then(({ length }) => length, String);
    await search();
    // It hears of none of them.
    const silent = vi.spyOn(threads.threads[0] as Worker, 'postMessage').mockImplementation(() => {});
    const both = [search(), search()];
    silent.mockRestore();
    await threads.threads[0]?.terminate();
    const why = 'Error: the thread that reads the audit log has ended';
    expect(await Promise.all(both)).toEqual([why, why]);
    for (const _ of [1, 2]) {
      expect(await search()).toBe(1);
      vi.advanceTimersByTime(STORE_LIMITS.auditSearchIdleMs - 1);
    }
    expect(threads.counts()).toEqual({ started: 2, ended: 1 });
    const gone = new Promise((resolve) => threads.threads[1]?.once('exit', resolve));
    vi.advanceTimersByTime(1);
    await gone;
  } finally {
    threads.close();
    vi.useRealTimers();
  }
});

test('a failure of a thread that is not a store error is reported by its message only', async () => {
  const failed = await new AuditReads(dataDir).search({ none: 'x' } as never, 1, 0).catch((error: Error) => error);
  expect(failed).toEqual(new Error('Error: no such column: b.none'));
});

test('long records of one page come without their arguments when they are too long together', async () => {
  const text = 'x'.repeat(GATEWAY_LIMITS.recordedArgumentsCharsMax - 1_000);
  const shown = Math.floor(STORE_LIMITS.auditPageChars / text.length);
  await write(shown + 2, { arguments: { text } });
  const page = await new AuditReads(dataDir).search({}, shown + 10, 0);
  const calls = page.filter(({ kind }) => kind === 'call');
  const omitted = calls.map(({ arguments_omitted }) => arguments_omitted);
  expect([omitted.indexOf(true) > 0, omitted.slice(0, shown - 1), omitted.slice(-2)]).toEqual([
    true,
    Array.from({ length: shown - 1 }, () => undefined),
    [true, true],
  ]);
  expect(calls.map((call) => call.arguments === undefined)).toEqual(omitted.map((isOmitted) => isOmitted === true));
});

test('searches beyond those that may wait are refused', async () => {
  await write(1);
  const reads = new AuditReads(dataDir);
  const outcomes = await Promise.allSettled(
    Array.from({ length: STORE_LIMITS.auditSearchesWaitingMax + 1 }, () => reads.search({}, 1, 0)),
  );
  expect(outcomes.filter(({ status }) => status === 'rejected')).toEqual([
    { status: 'rejected', reason: expect.objectContaining({ code: 'AUDIT_BUSY' }) },
  ]);
});
