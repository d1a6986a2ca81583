import { chmodSync, existsSync } from 'node:fs';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { ShortLivedMap } from '../../contract/short-lived-map.ts';
import type { AuditEntry, AuditRecord, Checkpoint } from '../../gateway/audit/audit-record.ts';
import { boundedEntry } from '../../gateway/audit/bounded-arguments.ts';
import { type ChainHead, chainEntry, GENESIS, type Link } from '../../gateway/audit/chain.ts';
import { inTransaction } from '../in-transaction.ts';
import { STORE_LIMITS } from '../limits.ts';

/** Copies of members, for searching; the hash chain covers the text. */
export const INDEXED = ['kind', 'phase', 'call_id', 'time', 'caller', 'session', 'server', 'tool', 'outcome'] as const;

/** Calls are searched by their begin records. Only these are indexed by time: an index of the ends would cost a page more per write. */
export const BEGUN = "phase IN ('begin', 'single')";

const SCHEMA = `
CREATE TABLE IF NOT EXISTS chain (name TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS records (
  seq INTEGER PRIMARY KEY,
  hash TEXT NOT NULL,
  text TEXT NOT NULL,
  ${INDEXED.map((column) => `${column} TEXT`).join(',\n  ')}
);
CREATE INDEX IF NOT EXISTS records_call ON records(call_id);
CREATE TABLE IF NOT EXISTS raw_arguments (call_id TEXT PRIMARY KEY, sealed BLOB NOT NULL);
CREATE INDEX IF NOT EXISTS records_time ON records(time) WHERE ${BEGUN};
CREATE TABLE IF NOT EXISTS settled (seq INTEGER NOT NULL);
`;

/** Raw arguments, encrypted. */
export interface RawArguments {
  readonly callId: string;
  readonly sealed: Uint8Array;
}

/** Identifies a record that the gateway writes about itself. */
export type Stamp = Pick<AuditEntry, 'call_id' | 'time'>;

export interface AuditFileOptions {
  readonly file: string;
  /** Name of the chain if the file is new. */
  readonly chain: string;
  /** Every commit waits for fsync. */
  readonly fsync: boolean;
}

/** The audit file of a slot, open for writing. Every change is one transaction; readers open the same file at the same time (WAL). */
export class AuditFile {
  readonly chain: string;
  readonly #database: DatabaseSync;
  readonly #insert: StatementSync;
  readonly #begin: StatementSync;
  readonly #end: StatementSync;
  #head: ChainHead = GENESIS;
  /** Calls without an end record, oldest first, each with the `seq` of its begin record. */
  #open = new ShortLivedMap<string, number>();
  /** `seq` of the chain's head when `settled` was last written. */
  #settledAt = 0;

  constructor({ file, chain, fsync }: AuditFileOptions) {
    const isNew = !existsSync(file);
    this.#database = new DatabaseSync(file);
    if (isNew) chmodSync(file, 0o600);
    this.#database.exec(
      `PRAGMA busy_timeout=5000; PRAGMA journal_mode=WAL; PRAGMA synchronous=${fsync ? 'FULL' : 'NORMAL'};`,
    );
    this.chain = inTransaction(this.#database, () => this.#beginChain(chain));
    const columns = ['seq', 'hash', 'text', ...INDEXED];
    this.#insert = this.#database.prepare(
      `INSERT INTO records(${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`,
    );
    this.#begin = this.#database.prepare('BEGIN IMMEDIATE');
    this.#end = this.#database.prepare('COMMIT');
    this.readEnd();
  }

  /** Runs in one transaction, because other processes may read the file as soon as it exists. */
  #beginChain(chain: string): string {
    this.#database.exec(SCHEMA);
    const stored = this.#database.prepare('SELECT name FROM chain').get() as { name: string } | undefined;
    if (!stored) this.#database.prepare('INSERT INTO chain(name) VALUES (?)').run(chain);
    this.#database.exec('INSERT INTO settled(seq) SELECT 0 WHERE NOT EXISTS (SELECT 1 FROM settled)');
    return stored?.name ?? chain;
  }

  get head(): ChainHead {
    return this.#head;
  }

  /** Reads the head and the open calls from the file, after another connection wrote it. */
  readEnd(): void {
    const open = this.#database
      .prepare(
        "SELECT seq, call_id FROM records AS b WHERE seq > (SELECT seq FROM settled) AND phase = 'begin' AND NOT EXISTS (SELECT 1 FROM records AS e WHERE e.call_id = b.call_id AND e.phase = 'end') ORDER BY seq",
      )
      .all() as { seq: number; call_id: string }[];
    this.#open = new ShortLivedMap();
    for (const { seq, call_id } of open) this.#open.set(call_id, seq);
    this.#head =
      (this.#database.prepare('SELECT seq, hash FROM records ORDER BY seq DESC LIMIT 1').get() as
        | ChainHead
        | undefined) ?? GENESIS;
  }

  /** Whether the chain contains this record, or pruned a record of this `seq`. */
  holds({ seq, hash }: ChainHead): boolean {
    const stored = this.#database.prepare('SELECT hash FROM records WHERE seq = ?').get(seq);
    if (stored) return stored.hash === hash;
    const { first } = this.#database.prepare('SELECT MIN(seq) AS first FROM records').get() as { first: number | null };
    return first !== null && seq < first;
  }

  /** Whether a commit checkpoints a long WAL and waits for the disk. If not, the WalCheckpointer does. */
  setAutoCheckpoint(isOn: boolean): void {
    this.#database.exec(`PRAGMA wal_autocheckpoint=${isOn ? STORE_LIMITS.auditWalCheckpointPages : 0}`);
  }

  /** Returns roughly how many bytes were written. */
  append(entries: readonly AuditEntry[], raw: readonly RawArguments[]): number {
    const bounded = entries.map(boundedEntry);
    if (raw.length === 0) return this.#commit(bounded);
    const rawLength = raw.reduce((sum, { sealed }) => sum + sealed.length, 0);
    return rawLength + this.#commit(bounded, () => this.#insertRaw(raw));
  }

  /** Writes end records for calls that have none; with `only`, just for these ids. */
  endInterrupted(time: string, only?: readonly string[]): void {
    const begun = this.#database.prepare('SELECT text FROM records WHERE seq = ?');
    const ends = this.#open
      .values()
      // A pruned call needs no end record.
      .flatMap((seq) => (begun.get(seq) as { text: string } | undefined) ?? [])
      .map(({ text }) => JSON.parse(text) as AuditRecord)
      .filter(({ call_id }) => only?.includes(call_id) ?? true)
      .map(({ kind, call_id }) => ({ kind, phase: 'end', call_id, time, outcome: 'interrupted' }) as const);
    if (ends.length > 0) this.#commit(ends);
  }

  /** Deletes records older than `before` and writes a checkpoint record in the same transaction. */
  prune(before: string, stamp: Stamp): number {
    const last = this.#database
      .prepare(
        `SELECT seq, hash FROM records WHERE seq < COALESCE((SELECT seq FROM records WHERE time >= ? ORDER BY seq LIMIT 1), ${Number.MAX_SAFE_INTEGER}) ORDER BY seq DESC LIMIT 1`,
      )
      .get(before) as ChainHead | undefined;
    return this.#pruneThrough(last, 'age', stamp);
  }

  /** Deletes the oldest records until the rest fits into `bytesMax`. The file itself does not shrink. */
  pruneToBytes(bytesMax: number, stamp: Stamp): number {
    const bytes = this.usedBytes();
    if (bytes <= bytesMax) return 0;
    const { first, count } = this.#database
      .prepare('SELECT COALESCE(MIN(seq), 0) AS first, COUNT(*) AS count FROM records')
      .get() as { first: number; count: number };
    // Prunes a tenth more than needed, so that the next record does not trigger pruning again.
    const surplus = Math.ceil(count * (1 - (bytesMax * 0.9) / bytes));
    const last = this.#database
      .prepare('SELECT seq, hash FROM records WHERE seq <= ? ORDER BY seq DESC LIMIT 1')
      .get(first + surplus - 1) as ChainHead | undefined;
    return this.#pruneThrough(last, 'size', stamp);
  }

  /** Bytes used by records; the file may be larger. */
  usedBytes(): number {
    return (this.#pragma('page_count') - this.#pragma('freelist_count')) * this.#pragma('page_size');
  }

  close(): void {
    try {
      this.#settle();
    } catch {
      // The file cannot be written. The next start scans more records for open calls.
    }
    this.#database.close();
  }

  #pruneThrough(last: ChainHead | undefined, reason: Checkpoint['reason'], stamp: Stamp): number {
    // An earlier checkpoint record may be pruned too: the new one is written in the same transaction.
    if (!last) return 0;
    const { count } = this.#database.prepare('SELECT COUNT(*) AS count FROM records WHERE seq <= ?').get(last.seq) as {
      count: number;
    };
    const checkpoint: Checkpoint = { through_seq: last.seq, through_hash: last.hash, count, reason };
    this.#commit([{ kind: 'system', phase: 'single', ...stamp, action: 'prune', checkpoint }], () => {
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

  /** Returns the total length of the texts. */
  #commit(entries: readonly AuditEntry[], also?: () => void): number {
    let head = this.#head;
    let textLength = 0;
    const settles = head.seq - this.#settledAt >= STORE_LIMITS.auditSettleEvery;
    // A single statement is a transaction already.
    const isAlone = entries.length === 1 && !also && !settles;
    if (!isAlone) this.#begin.run();
    try {
      for (const entry of entries) {
        const link = chainEntry(this.chain, head, entry);
        this.#insertLink(link, entry);
        textLength += link.text.length;
        head = link;
      }
      also?.();
      if (settles) this.#settle();
      if (!isAlone) this.#end.run();
    } catch (error) {
      if (this.#database.isTransaction) this.#database.exec('ROLLBACK');
      throw error;
    }
    entries.forEach(({ phase, call_id }, index) => {
      if (phase === 'begin') this.#open.set(call_id, this.#head.seq + index + 1);
      else if (phase === 'end') this.#open.delete(call_id);
    });
    this.#head = { seq: head.seq, hash: head.hash };
    return textLength;
  }

  /** Stores the `seq` before the oldest open call: all calls up to it have ended. */
  #settle(): void {
    const [oldest = this.#head.seq + 1] = this.#open.values();
    this.#database.prepare('UPDATE settled SET seq = ?').run(oldest - 1);
    this.#settledAt = this.#head.seq;
  }

  /** Binds values one by one in the order of `INDEXED`: building an array per record costs as much as inserting the row. */
  #insertLink({ seq, hash, text }: Link, entry: AuditEntry): void {
    const { caller = null, session = null, server = null, tool = null, outcome = null } = entry;
    const { kind, phase, call_id, time } = entry;
    this.#insert.run(seq, hash, text, kind, phase, call_id, time, caller, session, server, tool, outcome);
  }

  #insertRaw(raw: readonly RawArguments[]): void {
    const insert = this.#database.prepare('INSERT OR IGNORE INTO raw_arguments(call_id, sealed) VALUES (?, ?)');
    for (const { callId, sealed } of raw) insert.run(callId, sealed);
  }
}

/** Name of the chain in a file; it never changes. Undefined if the chain was not begun. */
export function chainNameOf(database: DatabaseSync): string | undefined {
  const firstOf = (table: string) =>
    database.prepare('SELECT 1 FROM sqlite_master WHERE name = ?').get(table) &&
    database.prepare(`SELECT * FROM ${table} LIMIT 1`).get();
  const stored = firstOf('chain');
  // A chain that lost its name must not look like an empty one.
  if (!stored && firstOf('records')) throw new Error('an audit file has records and no name of their chain');
  return stored?.name as string | undefined;
}
