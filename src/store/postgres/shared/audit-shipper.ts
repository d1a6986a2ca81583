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
import { Latest } from './latest.ts';

/** The chain that this process writes, as far as it is shipped. */
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
 * Ships the chains of a node to the database that nodes share: in order, each record once, from where the database's copy
 * ends. The file stays the first home of a record, so what was not shipped when a process died is shipped by the next one.
 */
export class AuditShipper {
  readonly #options: AuditShipperOptions;
  readonly #own: OwnChain;
  readonly #turns = new Latest(() => this.#ship());
  /** The last record of each chain that the database has. */
  readonly #shipped = new Map<string, ChainHead>();
  /** Chains whose copy in the database is another chain. */
  readonly #foreign = new Set<string>();
  #timer: NodeJS.Timeout | undefined;
  /** The file of this process's chain, open as long as it ships. */
  #file: DatabaseSync | undefined;
  #othersAt = 0;
  /** Since when something waits without any of it being shipped. */
  #waitingSince: number | undefined;

  private constructor(own: OwnChain, options: AuditShipperOptions) {
    this.#own = own;
    this.#options = options;
  }

  /** Begins to ship. Throws `NODE_NAME_TAKEN` where the database has another chain under the name of this one. */
  static async open(own: OwnChain, options: AuditShipperOptions): Promise<AuditShipper> {
    const shipper = new AuditShipper(own, options);
    await shipper.flush();
    if (shipper.#foreign.has(own.chain)) throw new BinderyError('NODE_NAME_TAKEN', { detail: own.chain });
    shipper.#timer = setInterval(() => shipper.#shipSoon(), AUDIT_LIMITS.shipEveryMs).unref();
    return shipper;
  }

  /** How many records of this process's chain the database has. */
  get shippedSeq(): number {
    return this.#shipped.get(this.#own.chain)?.seq ?? 0;
  }

  /** Whether so much waits to be shipped, or for so long, that nothing more may leave. */
  get isBehind(): boolean {
    const waiting = this.#own.head.seq - this.shippedSeq;
    if (waiting > AUDIT_LIMITS.recordsMax) return true;
    return this.#waitingSince !== undefined && this.#options.clock.now() - this.#waitingSince > AUDIT_LIMITS.waitMs;
  }

  /** Resolves when whatever is in the files now is in the database too. */
  flush(): Promise<void> {
    return this.#turns.run();
  }

  /** Resolves when the database has the records of this process's chain up to one; rejects where that fails. */
  async until(seq: number): Promise<void> {
    if (this.shippedSeq >= seq) return;
    await this.flush();
    // Shipped, and still not there: the database has another chain of this name.
    if (this.shippedSeq < seq) throw new BinderyError('STORE_UNAVAILABLE');
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.flush().catch(() => {
      // It is in the files, and shipped when the node starts again.
    });
    this.#file?.close();
    this.#file = undefined;
  }

  #shipSoon(): void {
    const isDue = this.#own.head.seq > this.shippedSeq || this.#options.clock.now() >= this.#othersAt;
    if (!isDue) return;
    this.flush().catch(() => {
      // Tried again at the next turn; who waits too long is refused meanwhile.
    });
  }

  /** Other chains come first: what this one notes of them is then there already. */
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

  /** What commands recorded beside this process, and what processes before it left behind. */
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

  /** Where the database's copy ends; undefined where it is the copy of another chain. */
  async #begin(chain: string, records: DatabaseSync): Promise<ChainHead | undefined> {
    const [copied = { seq: 0, hash: '' }] = await this.#options.database.query<ChainHead>(
      'SELECT seq, hash FROM audit_records WHERE chain = $1 ORDER BY seq DESC LIMIT 1',
      [chain],
    );
    const same = records.prepare('SELECT hash FROM records WHERE seq = ?').get(copied.seq) as
      | { hash: string }
      | undefined;
    const { first } = records.prepare('SELECT MIN(seq) AS first FROM records').get() as { first: number | null };
    // What was pruned here can be compared no more; it goes there too, with what says so.
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

  /** One statement; one transaction where a record tells of a pruning, which comes with it. */
  async #put(chain: string, rows: readonly Row[], last: ChainHead): Promise<void> {
    const { database } = this.#options;
    const first = rows[0]?.seq ?? 0;
    const prunes = rows.flatMap(({ text, kind }) =>
      kind === 'system' ? ((JSON.parse(text) as AuditRecord).checkpoint?.through_seq ?? []) : [],
    );
    // Pruned before it was shipped: what stands before the gap was pruned as well.
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
    // A batch that was shipped before, and whose answer was lost, is there already.
    if (inserted.length === rows.length || (await isThere(query, chain, rows))) return;
    this.#refuse(chain);
    throw new BinderyError('NODE_NAME_TAKEN', { detail: chain });
  }
}

/** A text of PostgreSQL cannot hold the character 0; the record itself has it escaped. */
export function asIndexed(value: string | null): string | null {
  return value?.replaceAll('\u0000', '\ufffd') ?? null;
}

/** A head that is in the table, or was pruned from it, gives way to a later one; any other says that records were removed, and stays. */
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
