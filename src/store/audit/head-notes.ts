import { existsSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { FailureReport } from '../../contract/failure-report.ts';
import type { Clock, Log } from '../../contract/ports.ts';
import type { ChainHead } from '../../gateway/audit/chain.ts';
import type { NotedHead } from '../../gateway/audit/verify-chain.ts';
import { inTransaction } from '../in-transaction.ts';
import { STORE_LIMITS } from '../limits.ts';
import { type Migrations, migrate } from '../migrate.ts';
import { openDatabase } from '../open-database.ts';

const migrations: Migrations = {
  part: 'audit_heads',
  steps: [
    'CREATE TABLE audit_heads (chain TEXT NOT NULL, seq INTEGER NOT NULL, hash TEXT NOT NULL, noted_at TEXT NOT NULL, PRIMARY KEY (chain, seq, hash))',
  ],
};

export interface HeadNotesOptions {
  readonly chain: string;
  /** Whether the chain has this record, or pruned it. */
  holds(head: ChainHead): boolean;
  readonly registryFile: string;
  readonly clock: Clock;
  readonly log?: Log | undefined;
}

/**
 * Records the head of an audit chain in the registry: an attacker who truncates the audit file would have to change the registry as well. A
 * recorded head that is missing from the chain stays, as evidence that the chain was cut.
 */
export class HeadNotes {
  readonly #options: HeadNotesOptions;
  readonly #report: FailureReport | undefined;
  #database: DatabaseSync | undefined;
  /** Recorded heads that the next one replaces; undefined until they were read. */
  #replaceable: readonly ChainHead[] | undefined;

  constructor(options: HeadNotesOptions) {
    this.#options = options;
    this.#report =
      options.log &&
      new FailureReport(options.log, {
        failing: 'the head of the audit log cannot be recorded in the registry',
        again: 'the head of the audit log is recorded in the registry again',
      });
  }

  isNoted({ seq }: ChainHead): boolean {
    return this.#replaceable !== undefined && (seq === 0 || this.#replaceable.at(-1)?.seq === seq);
  }

  /**
   * Records a head that is on the disk. If the registry is locked, the last call of a process waits; other calls give up until the next
   * time, so that they delay no call. Never creates the registry.
   */
  note(head: ChainHead, isLast = false): void {
    const { registryFile } = this.#options;
    if (this.isNoted(head) || !existsSync(registryFile)) return;
    try {
      this.#database ??= openDatabase(registryFile);
      const database = this.#database;
      database.exec(`PRAGMA busy_timeout=${isLast ? STORE_LIMITS.busyTimeoutMs : 0}`);
      if (this.#replaceable === undefined) migrate(database, migrations);
      this.#write(database, head);
      this.#report?.succeeded();
    } catch (error) {
      if (isLast || (error as { errcode?: number }).errcode !== SQLITE_BUSY) this.#report?.failed(error);
    }
  }

  close(): void {
    this.#database?.close();
    this.#database = undefined;
  }

  #write(database: DatabaseSync, { seq, hash }: ChainHead): void {
    const { chain, clock } = this.#options;
    const replaced = this.#replaceable ?? this.#lookUp(database);
    if (seq > 0) {
      inTransaction(database, () => {
        const remove = database.prepare('DELETE FROM audit_heads WHERE chain = ? AND seq = ? AND hash = ?');
        for (const head of replaced) remove.run(chain, head.seq, head.hash);
        database
          .prepare('INSERT OR REPLACE INTO audit_heads(chain, seq, hash, noted_at) VALUES (?, ?, ?, ?)')
          .run(chain, seq, hash, new Date(clock.now()).toISOString());
      });
    }
    this.#replaceable = [{ seq, hash }];
  }

  #lookUp(database: DatabaseSync): readonly ChainHead[] {
    const { chain, holds, log } = this.#options;
    const noted = readNotes(database).filter((head) => head.chain === chain);
    const lost = noted.filter((head) => !holds(head));
    const last = lost.at(-1);
    if (last)
      log?.error('records are missing from the audit log: it no longer contains a recorded head', {
        chain,
        noted_seq: last.seq,
      });
    return noted.filter((head) => !lost.includes(head));
  }
}

/** The recorded heads by chain; empty without a registry. */
export function readRegistryHeads(registryFile: string): Map<string, NotedHead[]> {
  const heads = new Map<string, NotedHead[]>();
  if (!existsSync(registryFile)) return heads;
  const database = new DatabaseSync(registryFile, { readOnly: true, timeout: STORE_LIMITS.busyTimeoutMs });
  try {
    for (const { chain, seq, hash } of readNotes(database))
      heads.set(chain, [...(heads.get(chain) ?? []), { source: 'registry', seq, hash }]);
    return heads;
  } finally {
    database.close();
  }
}

function readNotes(database: DatabaseSync): (ChainHead & { readonly chain: string })[] {
  const isThere = database.prepare("SELECT 1 FROM sqlite_master WHERE name = 'audit_heads'").get();
  if (!isThere) return [];
  const rows = database.prepare('SELECT chain, seq, hash FROM audit_heads ORDER BY chain, seq').all();
  return rows as unknown as (ChainHead & { readonly chain: string })[];
}

const SQLITE_BUSY = 5;
