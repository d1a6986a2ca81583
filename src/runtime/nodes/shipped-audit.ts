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

/** The audit log that nodes share: this node ships its records, and reads those of all nodes. */
export class ShippedAudit {
  readonly #options: ShippedAuditOptions;
  /** Undefined until shipping starts. */
  #shipper: AuditShipper | undefined;

  constructor(options: ShippedAuditOptions) {
    this.#options = options;
  }

  /** Starts to ship this node's records. */
  async ship(writer: AuditWriter, dataDir: string): Promise<void> {
    this.#shipper = await AuditShipper.open(writer, { ...this.#options, dataDir });
  }

  /** Whether too many records wait to be shipped: then no call may be sent. */
  get isBehind(): boolean {
    return this.#shipper?.isBehind ?? false;
  }

  /**
   * The log of this node's calls. Without the database calls continue until too many records wait; then new calls are refused. Ends of
   * calls that were sent are always recorded. If `isSynced`, an entry counts only when the database has it, too.
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
            // The local record says that the call began, but it was not sent: record its end.
            if (entry.phase === 'begin' && writer.isWritable)
              writer.append({ kind, phase: 'end', call_id, time, outcome: 'interrupted' }).catch(() => {});
            throw error;
          });
      },
    };
  }

  /** The heads of all nodes' chains; empty if the database is unreachable. */
  heads(): Promise<ReadonlyMap<string, ChainHead>> {
    return new PostgresAudit(this.#options.database).heads().catch(() => new Map());
  }

  /** Reads the records of all nodes, after shipping this node's pending ones. */
  async read<T>(read: (audit: PostgresAudit) => Promise<T>): Promise<T> {
    await this.#shipper?.flush();
    return read(new PostgresAudit(this.#options.database));
  }

  async close(): Promise<void> {
    await this.#shipper?.close();
  }
}
