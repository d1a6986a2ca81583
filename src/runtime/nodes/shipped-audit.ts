import { BinderyError } from '../../contract/errors.ts';
import type { Clock, Log } from '../../contract/ports.ts';
import type { ChainHead } from '../../gateway/audit/chain.ts';
import type { AuditLog } from '../../proxy/call/ports.ts';
import type { AuditWriter } from '../../store/audit/audit-writer.ts';
import type { Database } from '../../store/postgres/open-database.ts';
import { AuditShipper } from '../../store/postgres/shared/audit-shipper.ts';
import { PostgresAudit } from '../../store/postgres/shared/postgres-audit.ts';

export interface ShippedAuditOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly log: Log;
}

/** The audit log that nodes share: this node ships what it records, and reads what all of them recorded. */
export class ShippedAudit {
  readonly #options: ShippedAuditOptions;
  /** Undefined until the node has begun to ship. */
  #shipper: AuditShipper | undefined;

  constructor(options: ShippedAuditOptions) {
    this.#options = options;
  }

  /** Begins to ship what this node records. */
  async ship(writer: AuditWriter, dataDir: string): Promise<void> {
    this.#shipper = await AuditShipper.open(writer, { ...this.#options, dataDir });
  }

  /** Whether so much waits to be shipped that nothing may leave. */
  get isBehind(): boolean {
    return this.#shipper?.isBehind ?? false;
  }

  /**
   * The log of this node's calls. Without the database calls go on until too much waits; from then on nothing leaves. What has left
   * is recorded in any case. Where it is synced, a record counts only when the database has it too.
   */
  log(writer: AuditWriter, isSynced: () => boolean): AuditLog {
    return {
      append: (entry) => {
        const ships = this.#shipper;
        if (entry.phase !== 'end' && ships?.isBehind) return Promise.reject(new BinderyError('STORE_UNAVAILABLE'));
        const written = writer.append(entry);
        if (!ships || !isSynced()) return written;
        return written
          .then(() => ships.until(writer.head.seq))
          .catch((error: unknown) => {
            const { kind, call_id, time } = entry;
            // Written here and not there: it was not sent, and this says so.
            if (entry.phase === 'begin' && writer.isWritable)
              writer.append({ kind, phase: 'end', call_id, time, outcome: 'interrupted' }).catch(() => {});
            throw error;
          });
      },
    };
  }

  /** The ends of the chains of all nodes; none where the database cannot be asked. */
  heads(): Promise<ReadonlyMap<string, ChainHead>> {
    return new PostgresAudit(this.#options.database).heads().catch(() => new Map());
  }

  /** Reads what all nodes recorded; of this node, all that was recorded before. */
  async read<T>(read: (audit: PostgresAudit) => Promise<T>): Promise<T> {
    await this.#shipper?.flush();
    return read(new PostgresAudit(this.#options.database));
  }

  async close(): Promise<void> {
    await this.#shipper?.close();
  }
}
