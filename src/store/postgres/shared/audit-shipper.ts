import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { BinderyError } from '../../../contract/errors.ts';
import type { Clock, Log } from '../../../contract/ports.ts';
import type { AuditRecord } from '../../../gateway/audit/audit-record.ts';
import { type ChainHead, nodeOfChain } from '../../../gateway/audit/chain.ts';
import { INDEXED } from '../../audit/audit-file.ts';
import { chainStates } from '../../audit/resting-chains.ts';
import { AUDIT_LIMITS } from '../limits.ts';
import type { Database, Query } from '../open-database.ts';
import { CoalescedRuns } from './coalesced-runs.ts';

/** The chain that this process writes. */
export interface OwnChain {
  readonly chain: string;
  readonly file: string;
  readonly head: ChainHead;
}

export interface AuditShipperOptions {
  readonly database: Database;
  readonly dataDir: string;
  readonly clock: Clock;
  readonly log: Log;
}

type Row = { readonly seq: number; readonly hash: string; readonly text: string } & Readonly<
  Record<(typeof INDEXED)[number], string | null>
>;

/**
 * Ships a node's audit chains to the shared database: in order, each record once, starting at the end of the database's copy. The file is
 * written first, so records that a crashed process did not ship are shipped by the next one.
 */
export class AuditShipper {
  readonly #options: AuditShipperOptions;
  readonly #own: OwnChain;
  readonly #turns = new CoalescedRuns(() => this.#ship());
  /** The last shipped record of each chain. */
  readonly #shipped = new Map<string, ChainHead>();
  /** Chains whose name belongs to a different chain in the database. */
  readonly #foreign = new Set<string>();
  #timer: NodeJS.Timeout | undefined;
  /** This process's audit file, open while it ships. */
  #file: DatabaseSync | undefined;
  #othersAt = 0;
  /** Since when records wait without any progress. */
  #waitingSince: number | undefined;

  private constructor(own: OwnChain, options: AuditShipperOptions) {
    this.#own = own;
    this.#options = options;
  }

  /** Starts shipping. Throws `NODE_NAME_TAKEN` if the database has a different chain of the same name. */
  static async open(own: OwnChain, options: AuditShipperOptions): Promise<AuditShipper> {
    const shipper = new AuditShipper(own, options);
    await shipper.flush();
    if (shipper.#foreign.has(own.chain)) throw new BinderyError('NODE_NAME_TAKEN', { detail: own.chain });
    shipper.#timer = setInterval(() => shipper.#shipSoon(), AUDIT_LIMITS.shipEveryMs).unref();
    return shipper;
  }

  /** The last shipped `seq` of this process's chain. */
  get shippedSeq(): number {
    return this.#shipped.get(this.#own.chain)?.seq ?? 0;
  }

  /** Whether too many records wait to be shipped, or for too long: then no call may be sent. */
  get isBehind(): boolean {
    const waiting = this.#own.head.seq - this.shippedSeq;
    if (waiting > AUDIT_LIMITS.recordsMax) return true;
    return this.#waitingSince !== undefined && this.#options.clock.now() - this.#waitingSince > AUDIT_LIMITS.waitMs;
  }

  /** Resolves when everything that is in the files now is in the database too. */
  flush(): Promise<void> {
    return this.#turns.run();
  }

  /** Resolves when this process's chain is shipped up to `seq`; rejects if that fails. */
  async until(seq: number): Promise<void> {
    if (this.shippedSeq >= seq) return;
    await this.flush();
    // Shipped but not there: the database has a different chain of this name.
    if (this.shippedSeq < seq) throw new BinderyError('STORE_UNAVAILABLE');
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.flush().catch(() => {
      // The records stay in the files; the next start ships them.
    });
    this.#file?.close();
    this.#file = undefined;
  }

  #shipSoon(): void {
    const isDue = this.#own.head.seq > this.shippedSeq || this.#options.clock.now() >= this.#othersAt;
    if (!isDue) return;
    this.flush().catch(() => {
      // The next interval retries; calls are refused once `isBehind`.
    });
  }

  /** Ships other chains first, so that they contain what this chain's anchors refer to. */
  async #ship(): Promise<void> {
    const { clock } = this.#options;
    const { chain, file, head } = this.#own;
    if (head.seq > this.shippedSeq) this.#waitingSince ??= clock.now();
    if (clock.now() >= this.#othersAt) {
      await this.#shipOthers();
      this.#othersAt = clock.now() + AUDIT_LIMITS.othersEveryMs;
    }
    this.#file ??= openRecords(file);
    await this.#shipChain(chain, this.#file, head.seq);
    if (this.#own.head.seq <= this.shippedSeq) this.#waitingSince = undefined;
  }

  /** Ships records that commands wrote alongside this process, or that earlier processes left. */
  async #shipOthers(): Promise<void> {
    const { dataDir } = this.#options;
    const own = this.#own.chain;
    for (const { chain, slot, lastSeq } of chainStates(dataDir)) {
      const isOfNode = chain !== own && nodeOfChain(chain) === nodeOfChain(own);
      if (isOfNode) await this.#shipFile(chain, join(dataDir, `audit-${slot}.db`), lastSeq);
    }
  }

  async #shipFile(chain: string, file: string, through: number): Promise<void> {
    if (this.#isShipped(chain, through)) return;
    const records = openRecords(file);
    try {
      await this.#shipChain(chain, records, through);
    } finally {
      records.close();
    }
  }

  async #shipChain(chain: string, records: DatabaseSync, through: number): Promise<void> {
    if (this.#isShipped(chain, through)) return;
    let last = this.#shipped.get(chain) ?? (await this.#begin(chain, records));
    while (last && last.seq < through) {
      const rows = readRows(records, last.seq, through);
      const end = rows.at(-1);
      if (!end) return;
      await this.#put(chain, rows, last);
      last = { seq: end.seq, hash: end.hash };
      this.#shipped.set(chain, last);
      if (chain === this.#own.chain) this.#waitingSince = this.#options.clock.now();
    }
  }

  #isShipped(chain: string, through: number): boolean {
    return this.#foreign.has(chain) || (this.#shipped.get(chain)?.seq ?? -1) >= through;
  }

  /** The end of the database's copy; undefined if that is a different chain. */
  async #begin(chain: string, records: DatabaseSync): Promise<ChainHead | undefined> {
    const [copied = { seq: 0, hash: '' }] = await this.#options.database.query<ChainHead>(
      'SELECT seq, hash FROM audit_records WHERE chain = $1 ORDER BY seq DESC LIMIT 1',
      [chain],
    );
    const same = records.prepare('SELECT hash FROM records WHERE seq = ?').get(copied.seq) as
      | { hash: string }
      | undefined;
    const { first } = records.prepare('SELECT MIN(seq) AS first FROM records').get() as { first: number | null };
    // Records pruned here cannot be compared. The copy is pruned too, when the checkpoint record is shipped.
    const isPruned = same === undefined && first !== null && first > copied.seq;
    if (copied.seq === 0 || isPruned || same?.hash === copied.hash) {
      this.#shipped.set(chain, copied);
      return copied;
    }
    this.#refuse(chain);
    return undefined;
  }

  #refuse(chain: string): void {
    this.#foreign.add(chain);
    this.#options.log.error('the database has another audit chain of this name', { chain });
  }

  /** One statement; a transaction if a record reports pruning, so that the copy is pruned with it. */
  async #put(chain: string, rows: readonly Row[], last: ChainHead): Promise<void> {
    const { database } = this.#options;
    const first = rows[0]?.seq ?? 0;
    const prunes = rows.flatMap(({ text, kind }) =>
      kind === 'system' ? ((JSON.parse(text) as AuditRecord).checkpoint?.through_seq ?? []) : [],
    );
    // Records were pruned before they were shipped: prune the copy up to the gap.
    if (first > last.seq + 1) prunes.push(first - 1);
    if (prunes.length === 0) return this.#insert((text, values) => database.query(text, values), chain, rows);
    await database.transaction(async (query) => {
      await this.#insert(query, chain, rows);
      await query('DELETE FROM audit_records WHERE chain = $1 AND seq <= $2', [chain, Math.max(...prunes)]);
    });
  }

  async #insert(query: Query, chain: string, rows: readonly Row[]): Promise<void> {
    const inserted = await query(INSERT, [
      chain,
      rows.map(({ seq }) => seq),
      rows.map(({ hash }) => hash),
      rows.map(({ text }) => text),
      ...INDEXED.map((column) => rows.map((row) => asIndexed(row[column]))),
    ]);
    // The batch may be there already: shipped before, with its answer lost.
    if (inserted.length === rows.length || (await isThere(query, chain, rows))) return;
    this.#refuse(chain);
    throw new BinderyError('NODE_NAME_TAKEN', { detail: chain });
  }
}

/** PostgreSQL texts cannot hold NUL; in the record itself it is escaped. */
export function asIndexed(value: string | null): string | null {
  return value?.replaceAll('\u0000', '\ufffd') ?? null;
}

/**
 * A recorded head that is in the table, or was pruned from it, is replaced by a later one. Any other proves that records were removed, and
 * stays.
 */
const INSERT = `
WITH noted AS (
  INSERT INTO audit_heads(chain, seq, hash) SELECT $1::text, ($2::bigint[])[cardinality($2::bigint[])], ($3::text[])[cardinality($3::text[])]
  ON CONFLICT (chain) DO UPDATE SET seq = excluded.seq, hash = excluded.hash
  WHERE audit_heads.seq < excluded.seq AND COALESCE(
    (SELECT hash = audit_heads.hash FROM audit_records AS r WHERE r.chain = $1 AND r.seq = audit_heads.seq),
    audit_heads.seq < (SELECT MIN(seq) FROM audit_records AS r WHERE r.chain = $1))
)
INSERT INTO audit_records(chain, seq, hash, text, ${INDEXED.join(', ')})
SELECT $1, * FROM unnest($2::bigint[], $3::text[], $4::text[], ${INDEXED.map((_, index) => `$${index + 5}::text[]`).join(', ')})
ON CONFLICT (chain, seq) DO NOTHING
RETURNING seq`;

function readRows(records: DatabaseSync, after: number, through: number): Row[] {
  return records
    .prepare(
      `SELECT seq, hash, text, ${INDEXED.join(', ')} FROM records WHERE seq > ? AND seq <= ? ORDER BY seq LIMIT ${AUDIT_LIMITS.shipRows}`,
    )
    .all(after, through) as unknown as Row[];
}

async function isThere(query: Query, chain: string, rows: readonly Row[]): Promise<boolean> {
  const last = rows.at(-1);
  const [found] = await query<{ hash: string }>('SELECT hash FROM audit_records WHERE chain = $1 AND seq = $2', [
    chain,
    last?.seq,
  ]);
  return found?.hash === last?.hash;
}

function openRecords(file: string): DatabaseSync {
  return new DatabaseSync(file, { readOnly: true, timeout: 5_000 });
}
