import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readlinkSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setImmediate as turn } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { AuditEntry } from '../../gateway/audit/audit-record.ts';
import { readAudit } from './audit-reader.ts';
import { AuditThread, THREAD_MODULE } from './audit-thread.ts';
import { AuditWriter, type AuditWriterOptions } from './audit-writer.ts';

let dataDir: string;
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'bindery-audit-thread-'));
});
afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

const clock = { now: () => Date.UTC(2026, 10, 15) };
const random = { bytes: (length: number) => crypto.getRandomValues(new Uint8Array(length)) };
function open(more: Partial<AuditWriterOptions> = {}): AuditWriter {
  const writer = AuditWriter.open({ dataDir, node: 'local', clock, random, ...more });
  writer.setFsync(true);
  return writer;
}
const entry = (call_id: string, more: Partial<AuditEntry> = {}): AuditEntry => ({
  kind: 'call',
  phase: 'begin',
  call_id,
  time: '2026-11-15T00:00:00.000Z',
  server: 's',
  tool: 't',
  ...more,
});
/** The calls in the order of the chain, and whether it verifies. */
function readChain(folder = dataDir): { ok: boolean; calls: string[] } {
  return readAudit(folder, (reader) => ({
    ok: reader.verify().ok,
    calls: [...reader.exportLines()].map((line) => JSON.parse(line)).map(({ call_id }) => call_id as string),
  }));
}
/** Nobody else can commit before it is released. */
function holdCommits(): () => void {
  const database = new DatabaseSync(join(dataDir, 'audit-0.db'));
  database.exec('BEGIN IMMEDIATE');
  return () => database.close();
}

test('while a commit waits for the disk the event loop goes on, and nothing is acknowledged before it is written [gateway:R1]', async () => {
  const writer = open();
  await writer.append(entry('first'));
  const release = holdCommits();
  const acknowledged: string[] = [];
  const append = (id: string) => writer.append(entry(id)).then(() => acknowledged.push(id));
  const appended = [append('held')];
  let turns = 0;
  for (; turns < 500; turns += 1) {
    await turn();
    if (turns % 100 === 0) appended.push(append(`later ${turns}`));
  }
  expect([turns, acknowledged, readChain().calls]).toEqual([500, [], ['first']]);
  release();
  await Promise.all(appended);
  const order = ['held', 'later 0', 'later 100', 'later 200', 'later 300', 'later 400'];
  expect([acknowledged, readChain(), writer.head.seq]).toEqual([order, { ok: true, calls: ['first', ...order] }, 7]);
  await writer.close();
});

test('commits that cannot be made are refused, and when they can be again the chain says so [gateway:R1] [gateway:D6]', async () => {
  const writer = open();
  const blocker = new DatabaseSync(join(dataDir, 'audit-0.db'));
  blocker.exec("CREATE TRIGGER full BEFORE INSERT ON records BEGIN SELECT RAISE(ABORT, 'disk full'); END");
  await expect(writer.append(entry('refused'))).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
  const before = [writer.isWritable, await writer.isReady()];
  blocker.exec('DROP TRIGGER full');
  blocker.close();
  expect([before, await writer.isReady(), writer.isWritable]).toEqual([[false, false], true, true]);
  await writer.append(entry('a'));
  await writer.close();
  expect(readChain()).toEqual({ ok: true, calls: [expect.any(String), 'a'] });
});

test('a thread that dies takes no acknowledged record with it: its calls are refused, and another thread goes on [gateway:R1] [gateway:U3]', async () => {
  const writer = open({ threadModule: new URL('./testing/mortal-thread.ts', import.meta.url) });
  await writer.append(entry('a'));
  for (const tool of ['die-before', 'die-after']) {
    const together = [writer.append(entry(`with ${tool}`)), writer.append(entry(tool, { tool }))];
    const ends = await Promise.allSettled(together);
    expect(ends).toMatchObject([1, 2].map(() => ({ reason: { code: 'STORE_UNAVAILABLE' } })));
    expect([writer.isWritable, await writer.isReady()]).toEqual([false, true]);
  }
  await writer.append(entry('b'));
  await writer.close();
  const system = expect.any(String);
  // What the second one wrote was never acknowledged and so never sent: it is ended.
  expect(readChain()).toEqual({
    ok: true,
    calls: ['a', system, 'with die-after', 'die-after', 'with die-after', 'die-after', system, 'b'],
  });
});

test('a thread that dies while idle is noticed, and another one takes the next record', async () => {
  const writer = open({ threadModule: new URL('./testing/mortal-thread.ts', import.meta.url) });
  await writer.append(entry('die-after', { tool: 'die-after' })).catch(() => undefined);
  const seen = writer.isWritable;
  await writer.append(entry('b'));
  expect([seen, writer.isWritable]).toEqual([false, true]);
  await writer.close();
});

test('retention runs in the thread, and the chain still verifies [gateway:U7]', async () => {
  const writer = open();
  for (const day of [1, 2, 3, 4]) await writer.append(entry(`d${day}`, { time: `2026-11-0${day}T00:00:00.000Z` }));
  const pruned = [await writer.prune('2026-11-03T00:00:00.000Z'), await writer.pruneToBytes(1024 * 1024)];
  await writer.append(entry('e'));
  await writer.close();
  expect([pruned, readChain()]).toEqual([[2, 0], { ok: true, calls: ['d3', 'd4', expect.any(String), 'e'] }]);
});

test('closing writes everything that waits, and gives up the slot [gateway:U6]', async () => {
  const writer = open();
  const ids = Array.from({ length: 50 }, (_, index) => `c${index}`);
  const all = Promise.all(ids.map((id) => writer.append(entry(id))));
  await writer.close();
  await all;
  await expect(writer.append(entry('late'))).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
  expect(readChain()).toEqual({ ok: true, calls: ids });
  const next = open();
  expect(next.chain).toBe('local/0');
  await next.close();
});

test('switching fsync on and off at any moment keeps every record, in order, without a gap [gateway:M2] [gateway:R1]', async () => {
  const step = fc.constantFrom('append', 'append', 'append', 'on', 'off', 'turn', 'wait');
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
      const folder = mkdtempSync(join(dataDir, 'switch-'));
      const writer = AuditWriter.open({ dataDir: folder, node: 'local', clock, random });
      const ids: string[] = [];
      let last = Promise.resolve();
      for (const name of steps) {
        if (name === 'append') {
          ids.push(`c${ids.length}`);
          last = writer.append(entry(ids.at(-1) as string));
        } else if (name === 'turn') await turn();
        else if (name === 'wait') await last;
        else writer.setFsync(name === 'on');
      }
      await last;
      await writer.close();
      expect(readChain(folder)).toEqual({ ok: true, calls: ids });
    }),
    { numRuns: 20 },
  );
});

test('kill -9 loses nothing that the thread acknowledged, and open calls end as interrupted [gateway:U3] [gateway:R1]', async () => {
  for (let round = 0; round < 4; round += 1) {
    const { child, said } = appendForever(process.execPath, []);
    while (said().length < 10) await once(child.stdout, 'data');
    await new Promise((resolve) => setTimeout(resolve, round * 17));
    child.kill('SIGKILL');
    await once(child, 'close');
    const { calls } = readChain();
    expect(said().filter((id) => !calls.includes(id))).toEqual([]);
  }
  await open().close();
  const { ok, calls } = readChain();
  const alone = calls.filter((id) => calls.indexOf(id) === calls.lastIndexOf(id));
  expect([ok, alone]).toEqual([true, []]);
});

test('a full disk refuses the records that do not fit, and what was acknowledged verifies [gateway:R1]', async () => {
  // A limit on the size of files is a disk that is full, for one process: the operating system refuses the write.
  const { child, said } = appendForever('sh', ['-c', 'ulimit -f 2000; exec "$0" "$@"', process.execPath]);
  const [code] = await once(child, 'close');
  const acknowledged = said().slice(0, -1);
  const { ok, calls } = readChain();
  expect([code, said().at(-1), ok, acknowledged.length > 50, acknowledged.filter((id) => !calls.includes(id))]).toEqual(
    [3, 'STORE_UNAVAILABLE', true, true, []],
  );
});

function appendForever(command: string, args: readonly string[]) {
  const script = join(import.meta.dirname, 'testing', 'append-forever.ts');
  const child = spawn(command, [...args, script, dataDir, 'fsync'], { stdio: ['ignore', 'pipe', 'inherit'] });
  let text = '';
  child.stdout.on('data', (chunk) => {
    text += chunk;
  });
  return { child, said: () => text.split('\n').slice(0, -1) };
}

test('a call that a dying thread wrote but was never sent is ended when writing continues without a thread [gateway:U3]', async () => {
  const writer = open({ threadModule: new URL('./testing/mortal-thread.ts', import.meta.url) });
  await writer.append(entry('one', { tool: 'die-after' })).catch(() => undefined);
  writer.setFsync(false);
  await writer.append(entry('b'));
  await writer.close();
  const { ok, calls } = readChain();
  expect([ok, calls.filter((call) => call === 'one').length, calls.includes('b')]).toEqual([true, 2, true]);
});

test('a thread runs its jobs in order, and reports the head and a count', async () => {
  const thread = new AuditThread({ file: join(dataDir, 'audit-0.db'), chain: 'local/0' }, THREAD_MODULE);
  const [time, later] = ['2026-11-01T00:00:00.000Z', '2026-11-02T00:00:00.000Z'];
  const stamp = { call_id: 'prune', time: later };
  const done = await Promise.all([
    thread.run({ do: 'append', entries: [entry('a', { time }), entry('b', { time })], raw: [] }),
    thread.run({ do: 'end-interrupted', time: later, only: ['b'] }),
    thread.run({ do: 'prune', before: later, stamp }),
    thread.run({ do: 'prune-to-bytes', bytesMax: 1, stamp }),
  ]);
  expect(done.map(({ head, count }) => [head.seq, count])).toEqual([
    [2, 2],
    [3, 0],
    [4, 2],
    [5, 2],
  ]);
  const refused = thread.run({ do: 'append', entries: [entry(undefined as unknown as string)], raw: [] });
  await expect(refused).rejects.toThrow();
  expect(thread.isDead).toBe(false);
  await Promise.all([thread.close(), thread.close().catch(() => undefined)]);
  expect(thread.isDead).toBe(true);
  await expect(thread.run({ do: 'close' })).rejects.toThrow('has ended');
  await thread.close();
  expect(readChain()).toEqual({ ok: true, calls: ['prune'] });
});

/** Files of the data directory that this process has open, where the system tells. */
function openFiles(): string[] {
  const folder = '/proc/self/fd';
  if (process.platform !== 'linux') return [];
  return readdirSync(folder).flatMap((name) => {
    try {
      const file = readlinkSync(join(folder, name));
      return file.startsWith(dataDir) ? [file] : [];
    } catch {
      // The one that the list was read by.
      return [];
    }
  });
}

test.each([false, true])(
  'a writer that is closed leaves no thread and no open file behind (fsync: %s)',
  async (fsync) => {
    const threads: Worker[] = [];
    const onStart = (worker: Worker) => threads.push(worker);
    process.on('worker', onStart);
    const registryFile = join(dataDir, 'registry.db');
    new DatabaseSync(registryFile).close();
    const writer = open({ registryFile });
    writer.setFsync(fsync);
    await writer.append(entry('a', { phase: 'single' }));
    await writer.noteHead();
    await writer.append(entry('b', { phase: 'single' }));
    await writer.close();
    process.off('worker', onStart);
    // A thread that has ended has no number any more.
    expect([threads.map(({ threadId }) => threadId), openFiles()]).toEqual([[-1], []]);
  },
);

test('a thread is started once each time it is needed, and not otherwise', async () => {
  const threads: Worker[] = [];
  const onStart = (worker: Worker) => threads.push(worker);
  process.on('worker', onStart);
  const writer = AuditWriter.open({ dataDir, node: 'local', clock, random });
  writer.setFsync(false);
  await writer.append(entry('a'));
  const counts = [threads.length];
  for (const fsync of [true, true]) writer.setFsync(fsync);
  await writer.append(entry('b'));
  counts.push(threads.length);
  // Wanted again before the one that is not wanted any more has ended.
  for (const fsync of [false, true]) writer.setFsync(fsync);
  await writer.append(entry('c'));
  counts.push(threads.length);
  await writer.close();
  process.off('worker', onStart);
  expect([counts, readChain()]).toEqual([[0, 1, 2], { ok: true, calls: ['a', 'b', 'c'] }]);
});

test('a thread writes so that each commit survives a loss of power', async () => {
  const code = `
    import { parentPort, workerData } from 'node:worker_threads';
    parentPort.on('message', () => parentPort.postMessage({ head: { seq: 1, hash: String(workerData.fsync) }, count: 0 }));
  `;
  const module = new URL(`data:text/javascript,${encodeURIComponent(code)}`);
  const thread = new AuditThread({ file: join(dataDir, 'none.db'), chain: 'local/0' }, module);
  const { head } = await thread.run({ do: 'end-interrupted', time: '', only: [] });
  expect(head.hash).toBe('true');
});

test('a thread keeps the process alive exactly while a job or its end is pending', async () => {
  let isKept = true;
  const spies = [
    vi.spyOn(Worker.prototype, 'ref').mockImplementation(() => {
      isKept = true;
    }),
    vi.spyOn(Worker.prototype, 'unref').mockImplementation(() => {
      isKept = false;
    }),
  ];
  const thread = new AuditThread({ file: join(dataDir, 'audit-0.db'), chain: 'local/0' }, THREAD_MODULE);
  const seen = [isKept];
  const run = () => thread.run({ do: 'end-interrupted', time: '', only: [] }).then(() => isKept);
  seen.push(...(await Promise.all([run(), run(), run()])));
  const last = run();
  seen.push(isKept, await last);
  await thread.close();
  seen.push(isKept);
  for (const spy of spies) spy.mockRestore();
  expect(seen).toEqual([false, true, true, false, true, false, true]);
});

test('a call that was refused and begins again is not ended with what a dead thread left [gateway:U3]', async () => {
  const writer = open({ threadModule: new URL('./testing/mortal-thread.ts', import.meta.url) });
  const blocker = new DatabaseSync(join(dataDir, 'audit-0.db'));
  blocker.exec("CREATE TRIGGER full BEFORE INSERT ON records BEGIN SELECT RAISE(ABORT, 'disk full'); END");
  await writer.append(entry('a')).catch(() => undefined);
  blocker.exec('DROP TRIGGER full');
  blocker.close();
  await writer.append(entry('a'));
  // Its end dies with the thread: who called hears of it, and nobody says that it was interrupted.
  await writer.append(entry('a', { phase: 'end', tool: 'die-before' })).catch(() => undefined);
  await writer.append(entry('b', { phase: 'single' }));
  writer.setFsync(false);
  await writer.append(entry('c', { phase: 'single' }));
  await writer.close();
  expect(readChain()).toEqual({ ok: true, calls: ['a', 'b', 'c'] });
});
