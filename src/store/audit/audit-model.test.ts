import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { AuditEntry, Outcome } from '../../gateway/audit/audit-record.ts';
import { summariseCalls } from '../../gateway/audit/call-summary.ts';
import { STORE_LIMITS as LIMITS } from '../limits.ts';
import { AuditFile } from './audit-file.ts';
import { type AuditFilter, type AuditReader, readAudit } from './audit-reader.ts';
import { fits, type NaiveCall, NaiveChain } from './testing/naive-chain.ts';

let dataDir: string;
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'bindery-audit-model-'));
});
afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

const BEGIN = Date.UTC(2026, 10, 17);
const timeOf = (ms: number) => new Date(BEGIN + ms).toISOString();

interface Append {
  readonly do: 'append';
  readonly phases: readonly AuditEntry['phase'][];
  readonly ms: number;
  readonly kind: 'call' | 'read';
  readonly outcome: Outcome;
  readonly more: Partial<AuditEntry>;
  readonly isRaw: boolean;
}
type Step =
  | Append
  | { readonly do: 'refused'; readonly ids: readonly string[] }
  | { readonly do: 'interrupt'; readonly ms: number; readonly only: number | undefined }
  | { readonly do: 'prune'; readonly ms: number }
  | { readonly do: 'reopen' }
  | { readonly do: 'crash' };

/** A chain in a file, and the same as a list. */
class Pair {
  readonly model: NaiveChain;
  readonly #slot: number;
  #folder: string;
  #file: AuditFile;
  #ids = 0;

  constructor(folder: string, slot: number) {
    this.#folder = folder;
    this.#slot = slot;
    this.model = new NaiveChain(`local/${slot}`);
    this.#file = this.#open();
  }

  perform(step: Step): void {
    if (step.do === 'append') this.#append(step);
    else if (step.do === 'refused') this.#refuse(step.ids);
    else if (step.do === 'interrupt') this.#interrupt(step.ms, step.only);
    else if (step.do === 'prune') this.#prune(step.ms);
    else if (step.do === 'reopen') this.reopen();
    else this.#crash();
    expect(this.#file.head.seq).toBe(this.model.last);
  }

  reopen(): void {
    this.#file.close();
    this.#file = this.#open();
  }

  close(): string {
    this.#file.close();
    return this.#folder;
  }

  /** Whether the file says of these heads what the list knows of them. */
  compareHeads(): void {
    const head = this.#file.head;
    const first = this.model.kept[0]?.seq ?? 0;
    const holds = [head, { ...head, hash: 'f' }, { seq: first - 1, hash: 'gone' }, { seq: head.seq + 1, hash: 'f' }];
    const isEmpty = this.model.kept.length === 0;
    expect(holds.map((one) => this.#file.holds(one))).toEqual([!isEmpty, false, !isEmpty, false]);
  }

  #path(): string {
    return join(this.#folder, `audit-${this.#slot}.db`);
  }

  #open(): AuditFile {
    // The name that a chain began with is the one that it keeps.
    const chain = existsSync(this.#path()) ? 'other/9' : this.model.chain;
    return new AuditFile({ file: this.#path(), chain, fsync: false });
  }

  #append(step: Append): void {
    const entries = this.#entriesOf(step);
    const raw = step.isRaw ? [{ callId: entries[0]?.call_id ?? '', sealed: Uint8Array.of(step.ms, this.#slot) }] : [];
    const written = this.#file.append(entries, raw);
    this.model.append(entries);
    for (const { callId, sealed } of raw) this.model.keepRaw(callId, sealed);
    const database = new DatabaseSync(this.#path(), { readOnly: true });
    const sql = 'SELECT SUM(LENGTH(text)) AS chars FROM records WHERE seq > ?';
    const chars = database.prepare(sql).get(this.model.last - entries.length)?.chars as number;
    database.close();
    expect(written).toBe(chars + raw.length * 2);
  }

  /** Ends the oldest open call where there is one; everything else is a call of its own. */
  #entriesOf({ phases, ms, kind, outcome, more }: Append): AuditEntry[] {
    const open = this.model.open();
    // Chains never share a time, so that calls have one order over both.
    const time = timeOf(ms * 2 + this.#slot);
    return phases.map((phase) => {
      const ended = phase === 'end' ? open.shift() : undefined;
      const ending = { outcome, total_us: ms, ...(ms > 4 ? { queue_us: 1, upstream_us: 2 } : {}) };
      if (ended) return { kind, phase, call_id: ended.call_id, time, ...ending };
      this.#ids += 1;
      const begun = { kind, call_id: `${this.#slot}-${this.#ids}`, time, ...more };
      return phase === 'begin' ? { ...begun, phase } : { ...begun, ...ending, phase: 'single' };
    });
  }

  /** A batch of which the file does not take all leaves nothing. */
  #refuse(ids: readonly string[]): void {
    const entries = [...ids, 'refused'].map((call_id): AuditEntry => {
      return { kind: 'call', phase: 'begin', call_id, time: timeOf(0) };
    });
    const other = new DatabaseSync(this.#path());
    other.exec(
      "CREATE TRIGGER refuse BEFORE INSERT ON records WHEN NEW.call_id = 'refused' BEGIN SELECT RAISE(ABORT, 'refused'); END",
    );
    const raw = [{ callId: 'refused', sealed: Uint8Array.of(1) }];
    for (const kept of [[], raw]) expect(() => this.#file.append(entries, kept)).toThrow('refused');
    other.exec('DROP TRIGGER refuse');
    other.close();
  }

  #interrupt(ms: number, count: number | undefined): void {
    const open = this.model.open();
    const only = count === undefined ? undefined : [...open.map(({ call_id }) => call_id).slice(0, count), 'unknown'];
    const time = timeOf(ms);
    this.#file.endInterrupted(time, only);
    const ended = only ? open.slice(0, count) : open;
    this.model.append(
      ended.map(({ kind, call_id }) => ({ kind, phase: 'end', call_id, time, outcome: 'interrupted' }) as const),
    );
  }

  #prune(ms: number): void {
    const before = timeOf(ms);
    const gone = this.model.prune(before);
    const stamp = { call_id: `prune ${this.#slot} ${this.model.last}`, time: timeOf(40 + this.#slot) };
    expect(this.#file.prune(before, stamp)).toBe(gone.length);
    const last = gone.at(-1);
    if (!last) return;
    const checkpoint = { through_seq: last.seq, through_hash: expect.any(String), count: gone.length, reason: 'age' };
    this.model.append([{ kind: 'system', phase: 'single', ...stamp, action: 'prune', checkpoint } as AuditEntry]);
  }

  /** As after `kill -9`: the files are there, and nobody closed them. */
  #crash(): void {
    const before = this.#path();
    this.#folder = mkdtempSync(join(dataDir, 'crashed-'));
    for (const end of ['', '-wal'].filter((one) => existsSync(`${before}${one}`)))
      copyFileSync(`${before}${end}`, `${this.#path()}${end}`);
    this.#file.close();
    this.#file = this.#open();
  }
}

const members = fc.record(
  {
    server: fc.constantFrom('s', 't'),
    tool: fc.constantFrom('x', 'y'),
    caller: fc.constantFrom('ada', 'bob'),
    session: fc.constantFrom('1', '2'),
    profile: fc.constantFrom('p', 'q'),
    arguments: fc.constantFrom({ b: 1, a: 'needle' }, { a: 'hay' }, { decision: 'approval' }),
    decision: fc.constantFrom('approval' as const, 'deny' as const),
    rule: fc.constantFrom({ rule: 'approval_pending' }, { rule: 'tool_not_listed' }),
  },
  { requiredKeys: [] },
);
const append: fc.Arbitrary<Step> = fc.record({
  do: fc.constant('append' as const),
  phases: fc.array(fc.constantFrom<AuditEntry['phase']>('begin', 'end', 'single'), { minLength: 1, maxLength: 4 }),
  ms: fc.nat(9),
  kind: fc.constantFrom('call' as const, 'read' as const),
  outcome: fc.constantFrom<Outcome>('ok', 'denied'),
  more: members,
  isRaw: fc.boolean(),
});
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: append },
  fc.record({ do: fc.constant('refused' as const), ids: fc.constantFrom([], ['before']) }),
  fc.record({ do: fc.constant('interrupt' as const), ms: fc.nat(9), only: fc.option(fc.nat(3), { nil: undefined }) }),
  fc.record({ do: fc.constant('prune' as const), ms: fc.nat(22) }),
  fc.constantFrom<Step>({ do: 'reopen' }, { do: 'crash' }),
);
const question = fc.record({
  filter: fc.record(
    {
      kind: fc.constantFrom('call', 'read', 'system'),
      server: fc.constantFrom('s', 't'),
      tool: fc.constantFrom('x', 'y'),
      caller: fc.constantFrom('ada', 'bob'),
      session: fc.constantFrom('1', '2'),
      outcome: fc.constantFrom('ok', 'denied', 'interrupted', 'failed', 'refused', 'undecided'),
      profiles: fc.constantFrom(['p'], ['p', 'q'], []),
      since: fc.nat(20).map(timeOf),
      until: fc.nat(20).map(timeOf),
      q: fc.constantFrom('needle', 'hay', '"s"', '%'),
    },
    { requiredKeys: [] },
  ) as fc.Arbitrary<AuditFilter>,
  limit: fc.integer({ min: 1, max: 4 }),
  offset: fc.nat(3),
  after: fc.nat(12),
  through: fc.nat(16),
});
type Question = typeof question extends fc.Arbitrary<infer T> ? T : never;

function compareRecords(reader: AuditReader, models: readonly NaiveChain[]): void {
  const report = reader.verify();
  expect([report.ok, report.records]).toEqual([true, models.reduce((sum, { kept }) => sum + kept.length, 0)]);
  const exported = [...reader.exportLines()].map((line) => {
    const { v: _v, prev_hash: _p, hash: _h, ...record } = JSON.parse(line);
    return record;
  });
  expect(exported).toEqual(models.flatMap(({ kept }) => kept));
  expect([...reader.heads()].map(([chain, { seq }]) => [chain, seq])).toEqual(
    models.filter(({ kept }) => kept.length > 0).map(({ chain, last }) => [chain, last]),
  );
  for (const { call_id } of models.flatMap(({ kept }) => kept)) {
    const records = models.flatMap(({ kept }) => kept.filter((record) => record.call_id === call_id));
    expect(reader.recordsOf(call_id)).toEqual(records.map((record) => expect.objectContaining(record)));
    const sealed = reader.sealedArguments(call_id);
    expect(sealed && [...sealed]).toEqual(models.map(({ raw }) => raw.get(call_id)).find((one) => one !== undefined));
  }
}

function compareAnswers(reader: AuditReader, models: readonly NaiveChain[], asked: Question): void {
  const { filter, limit, offset, after, through } = asked;
  const all = models.flatMap((model): NaiveCall[] => model.calls());
  const found = all
    .filter((call) => fits(call, filter))
    .sort((a, b) => (a.time === b.time ? b.seq - a.seq : a.time < b.time ? 1 : -1));
  expect(reader.search(filter, limit, offset)).toEqual(found.slice(offset, offset + limit));
  const range = { since: BEGIN, until: BEGIN + 15, buckets: 3 };
  const rows = all
    .filter((call) => fits(call, { ...filter, since: timeOf(0), until: timeOf(15) }))
    .map(({ time, server = null, tool = null, outcome = null, rule, ...call }) => {
      const { queue_us, upstream_us, total_us = null } = call;
      const sentUs = queue_us === undefined || upstream_us === undefined ? null : queue_us + upstream_us;
      const ownRule = outcome === 'denied' ? (rule?.rule ?? null) : null;
      return { time, server, tool, outcome, rule: ownRule, total_us: call.decision === 'approval' ? sentUs : total_us };
    });
  const { tools, ...summary } = reader.summary(filter, range);
  const { tools: naiveTools, ...naive } = summariseCalls(rows, range, LIMITS.auditSummaryRows);
  expect([summary, tools.length]).toEqual([naive, naiveTools.length]);
  for (const model of models) {
    const ended = model.callsEnded(after, through);
    expect(reader.endedBetween(model.chain, after, through, limit)).toEqual({
      items: ended.slice(-limit).filter((call) => call !== undefined),
      dropped: Math.max(0, ended.length - limit),
    });
  }
  const marks = new Map([[models[0]?.chain ?? '', after]]);
  const behind = models.flatMap((model, index) => model.callsEnded(index === 0 ? after : 0));
  const byTime = behind
    .filter((call) => call !== undefined)
    .sort((a, b) => (a.time < b.time ? -1 : a.time > b.time ? 1 : 0));
  expect([reader.endedSince(marks), reader.endedSince(marks)]).toEqual([byTime, []]);
}

test('chains that are written, pruned, interrupted and left by a crash are read as lists are [gateway:U3] [gateway:U7] [gateway:U9]', () => {
  const steps = fc.array(fc.tuple(fc.constantFrom(0, 0, 1), step), { maxLength: 14 });
  fc.assert(
    fc.property(steps, fc.array(question, { minLength: 3, maxLength: 3 }), (given, questions) => {
      const folders = [mkdtempSync(join(dataDir, 'zero-')), mkdtempSync(join(dataDir, 'one-'))];
      const pairs = folders.map((folder, slot) => new Pair(folder, slot));
      for (const [slot, one] of given) pairs[slot]?.perform(one);
      for (const pair of pairs) pair.compareHeads();
      const together = mkdtempSync(join(dataDir, 'together-'));
      pairs.forEach((pair, slot) => {
        const name = `audit-${slot}.db`;
        copyFileSync(join(pair.close(), name), join(together, name));
      });
      const models = pairs.map(({ model }) => model);
      readAudit(together, (reader) => {
        compareRecords(reader, models);
        for (const asked of questions) compareAnswers(reader, models, asked);
        expect(reader.endedBetween('other/9', 0, 9, 9)).toEqual({ items: [], dropped: 0 });
      });
    }),
    { numRuns: 60 },
  );
});

const singles = (count: number, more: Partial<AuditEntry> = {}) =>
  Array.from({ length: count }, (_, index): AuditEntry => {
    return { kind: 'call', phase: 'single', call_id: `c${index}`, time: timeOf(index), ...more };
  });
const openFile = () => new AuditFile({ file: join(dataDir, 'audit-0.db'), chain: 'local/0', fsync: false });

/** Looks at the file beside whoever writes it. */
function look(sql: string): number {
  const database = new DatabaseSync(join(dataDir, 'audit-0.db'), { readOnly: true });
  const value = Number(Object.values(database.prepare(sql).get() ?? {})[0]);
  database.close();
  return value;
}

test('the settled mark is written after so many records, and again after so many more', () => {
  const every = LIMITS.auditSettleEvery;
  const file = openFile();
  const settled: number[] = [];
  for (const count of [every - 1, 1, 1, every - 2, 1, 1]) {
    file.append(singles(count), []);
    settled.push(look('SELECT seq FROM settled'));
  }
  expect(settled).toEqual([0, 0, every, every, every, 2 * every]);
  file.append(singles(1, { phase: 'begin' }), []);
  file.append(singles(every), []);
  file.append(singles(1), []);
  file.close();
  expect(look('SELECT seq FROM settled')).toBe(2 * every + 1);
});

test('a file that fills more than it may loses its oldest records, and a tenth more than needed [gateway:U7]', () => {
  const file = openFile();
  file.append(singles(200, { name: 'x'.repeat(1_000) }), []);
  const bytes = file.usedBytes();
  const pages = look('PRAGMA page_count') - look('PRAGMA freelist_count');
  const stamp = { call_id: 'prune', time: timeOf(0) };
  expect([bytes, file.pruneToBytes(bytes, stamp), file.head.seq]).toEqual([pages * look('PRAGMA page_size'), 0, 200]);
  const wanted = Math.floor(bytes / 2);
  const gone = Math.ceil(200 * (1 - (wanted * 0.9) / bytes));
  expect([file.pruneToBytes(wanted, stamp), look('SELECT MIN(seq) FROM records')]).toEqual([gone, gone + 1]);
  // From a beginning that is not the first record.
  const left = file.usedBytes();
  const count = 201 - gone;
  const more = Math.ceil(count * (1 - ((left - 1) * 0.9) / left));
  expect([file.pruneToBytes(left - 1, stamp), look('SELECT MIN(seq) FROM records')]).toEqual([more, gone + more + 1]);
  file.close();
  const records = readAudit(dataDir, (reader) => [...reader.exportLines()].map((line) => JSON.parse(line)));
  expect(records.at(-1).checkpoint).toMatchObject({ through_seq: gone + more, count: more, reason: 'size' });
  expect(readAudit(dataDir, (reader) => reader.verify().ok)).toBe(true);
});

test('an export is read in batches of so many records, and in smaller ones if they are long', () => {
  const file = openFile();
  const half = { name: 'x'.repeat(LIMITS.auditExportChars / 2) };
  file.append(singles(3, half), []);
  file.append(singles(LIMITS.auditExportRows + 1), []);
  file.close();
  const sizes = readAudit(dataDir, (reader) => Array.from(reader.exportBatches(), (lines) => lines.length));
  expect(sizes).toEqual([2, LIMITS.auditExportRows, 2]);
});
