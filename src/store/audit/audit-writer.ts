import { join } from 'node:path';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { BinderyError } from '../../contract/errors.ts';
import type { Clock, Random } from '../../contract/ports.ts';
import type { AuditEntry, AuditRecord, Checkpoint } from '../../gateway/audit/audit-record.ts';
import { type ChainHead, chainEntry, GENESIS, type Link } from '../../gateway/audit/chain.ts';
import { uuidV7 } from '../uuid-v7.ts';
import { chainNameOf, INDEXED, openAuditFile } from './audit-file.ts';
import { type Slot, takeSlot } from './slot-lock.ts';

export interface AuditWriterOptions {
  readonly dataDir: string;
  /** First part of the chain's name. */
  readonly node: string;
  /** Commits survive a loss of power, at the price of a disk flush each. */
  readonly fsync: boolean;
  readonly clock: Clock;
  readonly random: Random;
}

/** Arguments as they came, encrypted for whoever has the key. */
export interface RawArguments {
  readonly callId: string;
  readonly sealed: Uint8Array;
}

interface Waiting {
  readonly entry: AuditEntry;
  readonly done: () => void;
  readonly failed: (error: BinderyError) => void;
}

/** Appends to one chain. What was appended in one turn of the event loop is one transaction. */
export class AuditWriter {
  readonly chain: string;
  readonly #slot: Slot;
  readonly #options: AuditWriterOptions;
  readonly #database: DatabaseSync;
  readonly #insert: StatementSync;
  readonly #begin: StatementSync;
  readonly #end: StatementSync;
  #head: ChainHead;
  #waiting: Waiting[] = [];
  #raw: RawArguments[] = [];
  #closed = false;
  #isWritable = true;

  private constructor(slot: Slot, options: AuditWriterOptions) {
    this.#slot = slot;
    this.#options = options;
    const file = join(options.dataDir, `audit-${slot.slot}.db`);
    this.#database = openAuditFile(file, `${options.node}/${slot.slot}`, options.fsync);
    this.chain = chainNameOf(this.#database);
    const columns = ['seq', 'hash', 'text', ...INDEXED];
    this.#insert = this.#database.prepare(
      `INSERT INTO records(${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`,
    );
    this.#begin = this.#database.prepare('BEGIN IMMEDIATE');
    this.#end = this.#database.prepare('COMMIT');
    this.#head =
      (this.#database.prepare('SELECT seq, hash FROM records ORDER BY seq DESC LIMIT 1').get() as
        | ChainHead
        | undefined) ?? GENESIS;
  }

  /** Takes a slot, or the one that is given, opens its chain, and ends the calls that a crash interrupted. */
  static open(options: AuditWriterOptions, slot: Slot = takeSlot(options.dataDir)): AuditWriter {
    try {
      const writer = new AuditWriter(slot, options);
      writer.#endInterrupted();
      return writer;
    } catch (error) {
      slot.release();
      throw error;
    }
  }

  /** Whether the last commit succeeded. */
  get isWritable(): boolean {
    return this.#isWritable;
  }

  get head(): ChainHead {
    return this.#head;
  }

  /** Resolves when the entry is durable. Rejects with `STORE_UNAVAILABLE`, and then nothing may leave. */
  append(entry: AuditEntry): Promise<void> {
    return new Promise((done, failed) => {
      if (this.#closed) return failed(new BinderyError('STORE_UNAVAILABLE'));
      if (this.#waiting.length === 0) setImmediate(() => this.flush());
      this.#waiting.push({ entry, done, failed });
    });
  }

  /** Switches between commits that survive a crash of the process and commits that survive a loss of power. */
  setFsync(fsync: boolean): void {
    this.#database.exec(`PRAGMA synchronous=${fsync ? 'FULL' : 'NORMAL'}`);
  }

  /** Keeps the raw arguments of a call; committed together with the entry that is appended next. */
  keepRaw(raw: RawArguments): void {
    this.#raw.push(raw);
  }

  /** Commits what waits. */
  flush(): void {
    const batch = this.#waiting;
    this.#waiting = [];
    if (batch.length === 0) return;
    const raw = this.#raw;
    this.#raw = [];
    try {
      this.#commit(
        batch.map(({ entry }) => entry),
        raw.length === 0 ? undefined : () => this.#insertRaw(raw),
      );
      this.#isWritable = true;
    } catch (cause) {
      this.#isWritable = false;
      for (const { failed } of batch) failed(new BinderyError('STORE_UNAVAILABLE', { cause }));
      return;
    }
    for (const { done } of batch) done();
  }

  /** Deletes records older than a time, and in the same transaction says so in the chain. */
  prune(before: string): number {
    this.flush();
    const last = this.#database
      .prepare(
        'SELECT seq, hash FROM records WHERE seq < (SELECT COALESCE(MIN(seq), ?) FROM records WHERE time >= ?) ORDER BY seq DESC LIMIT 1',
      )
      .get(this.#head.seq + 1, before) as ChainHead | undefined;
    return this.#pruneThrough(last, 'age');
  }

  /** What the records fill; the file may be larger. */
  usedBytes(): number {
    return (this.#pragma('page_count') - this.#pragma('freelist_count')) * this.#pragma('page_size');
  }

  /** Deletes the oldest records until the others fill at most so many bytes; the file itself does not shrink. */
  pruneToBytes(bytesMax: number): number {
    this.flush();
    const bytes = this.usedBytes();
    if (bytes <= bytesMax) return 0;
    const { first, count } = this.#database
      .prepare('SELECT MIN(seq) AS first, COUNT(*) AS count FROM records')
      .get() as { first: number | null; count: number };
    // A tenth more than needed, so that the next record does not ask for the next pruning.
    const surplus = Math.ceil(count * (1 - (bytesMax * 0.9) / bytes));
    const last = this.#database
      .prepare('SELECT seq, hash FROM records WHERE seq <= ? ORDER BY seq DESC LIMIT 1')
      .get((first ?? 0) + surplus - 1) as ChainHead | undefined;
    return this.#pruneThrough(last, 'size');
  }

  #pruneThrough(last: ChainHead | undefined, reason: Checkpoint['reason']): number {
    // The checkpoint that vouches for the present beginning goes only when its successor is written, so it may be pruned now.
    if (!last) return 0;
    const { count } = this.#database.prepare('SELECT COUNT(*) AS count FROM records WHERE seq <= ?').get(last.seq) as {
      count: number;
    };
    const checkpoint: Checkpoint = { through_seq: last.seq, through_hash: last.hash, count, reason };
    this.#commit([this.#system({ action: 'prune', checkpoint })], () => {
      this.#database
        .prepare('DELETE FROM raw_arguments WHERE call_id IN (SELECT call_id FROM records WHERE seq <= ?)')
        .run(last.seq);
      this.#database.prepare('DELETE FROM records WHERE seq <= ?').run(last.seq);
    });
    return count;
  }

  #pragma(name: string): number {
    return Number(Object.values(this.#database.prepare(`PRAGMA ${name}`).get() as object)[0]);
  }

  /** Ties other chains to this one: what they were cannot be cut unnoticed. */
  anchor(heads: ReadonlyMap<string, ChainHead>): Promise<void> {
    const anchors = Object.fromEntries([...heads].map(([chain, { seq, hash }]) => [chain, { seq, hash }]));
    return this.append(this.#system({ action: 'anchor', anchors }));
  }

  close(): void {
    if (this.#closed) return;
    this.flush();
    this.#closed = true;
    this.#database.close();
    this.#slot.release();
  }

  #commit(entries: readonly AuditEntry[], also?: () => void): void {
    let head = this.#head;
    this.#begin.run();
    try {
      for (const entry of entries) {
        const link = chainEntry(this.chain, head, entry);
        this.#insertLink(link, entry);
        head = link;
      }
      also?.();
      this.#end.run();
    } catch (error) {
      if (this.#database.isTransaction) this.#database.exec('ROLLBACK');
      throw error;
    }
    this.#head = { seq: head.seq, hash: head.hash };
  }

  /** One by one in the order of `INDEXED`: a list made of them for every record costs as much as the insertion of a row. */
  #insertLink({ seq, hash, text }: Link, entry: AuditEntry): void {
    const { caller = null, session = null, server = null, tool = null, outcome = null } = entry;
    const { kind, phase, call_id, time } = entry;
    this.#insert.run(seq, hash, text, kind, phase, call_id, time, caller, session, server, tool, outcome);
  }

  #insertRaw(raw: readonly RawArguments[]): void {
    const insert = this.#database.prepare('INSERT OR IGNORE INTO raw_arguments(call_id, sealed) VALUES (?, ?)');
    for (const { callId, sealed } of raw) insert.run(callId, sealed);
  }

  #endInterrupted(): void {
    const open = this.#database
      .prepare(
        "SELECT text FROM records AS b WHERE phase = 'begin' AND NOT EXISTS (SELECT 1 FROM records AS e WHERE e.call_id = b.call_id AND e.phase = 'end') ORDER BY seq",
      )
      .all() as { text: string }[];
    if (open.length === 0) return;
    const time = new Date(this.#options.clock.now()).toISOString();
    this.#commit(
      open.map(({ text }) => {
        const { kind, call_id } = JSON.parse(text) as AuditRecord;
        return { kind, phase: 'end', call_id, time, outcome: 'interrupted' };
      }),
    );
  }

  #system(members: Pick<AuditEntry, 'action' | 'anchors' | 'checkpoint'>): AuditEntry {
    const now = this.#options.clock.now();
    return {
      kind: 'system',
      phase: 'single',
      call_id: uuidV7(now, this.#options.random),
      time: new Date(now).toISOString(),
      ...members,
    };
  }
}
